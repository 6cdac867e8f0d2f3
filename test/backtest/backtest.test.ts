/** Tests src/backtest/backtest.ts. */
import { describe, expect, it } from "vitest";
import { runBacktest, unreadable } from "../../src/backtest/backtest.ts";
import { isDifferent } from "../../src/backtest/difference.ts";
import type { RuleAction } from "../../src/domain/rule.ts";
import type { Scope } from "../../src/domain/hold.ts";
import { HOME, sendersUnit } from "../../src/domain/lease.ts";
import { DEFAULT_LIMITS } from "../../src/domain/limits.ts";
import type { ActingPolicy } from "../../src/domain/step.ts";
import { HOUR, MINUTE, SECOND, type Instant } from "../../src/domain/time.ts";
import type { RecordSource } from "../../src/io/journal/record-source.ts";
import { ACTING, exchange, factIs, repair, rule } from "../core/fixtures.ts";
import { START, type World } from "../core/world.ts";
import { recorded } from "./eventful.ts";

/** What was recorded of a world, as the record of some units: pages from the last chapter that begins by then. */
function recordOf(happens: (world: World) => void, units = [HOME]): RecordSource {
  const { world, pages } = recorded([]);
  happens(world);
  const read = pages();
  return {
    units,
    firstAt: START,
    lastAt: world.now,
    *pages(from) {
      const first = read.findLastIndex(({ whole, at }) => whole && at <= from);
      yield* read.slice(Math.max(0, first));
    },
  };
}

it("counts a gap in the records of several units once", () => {
  const gapsOf = (units: string[]) => {
    const source = recordOf((world) => world.passes("1m").restarts("7m").passes("1m"), units);
    return runBacktest(source, { rules: [rule()], acting: ACTING, limits: DEFAULT_LIMITS }).gaps;
  };
  const one = gapsOf([HOME]);
  expect(one).toHaveLength(1);
  expect(gapsOf([HOME, sendersUnit(1), sendersUnit(2)])).toEqual(one);
});

it("is refused only if the record of no unit can be read", () => {
  const units = [HOME, sendersUnit(1)];
  const source = recordOf((world) => {
    for (let poll = 0; poll < 36; poll += 1)
      world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  }, units);
  const withDamaged = (damaged: readonly string[]) =>
    runBacktest(
      {
        ...source,
        *pages(from: Instant, unit: string) {
          for (const page of source.pages(from, unit))
            yield damaged.includes(unit) ? { ...page, problem: "its body is damaged" } : page;
        },
      },
      { rules: [rule({ forMs: 15_000 })], acting: ACTING, limits: DEFAULT_LIMITS },
    );
  const partly = withDamaged([sendersUnit(1)]);
  expect(unreadable(partly)).toBeUndefined();
  expect(partly.outcome.alerts).toHaveLength(1);
  expect(partly.problems).not.toEqual([]);
  expect(unreadable(withDamaged(units))).toContain("its body is damaged");
});

it("finds no difference in what differed only before the time that is asked for", () => {
  const source = recordOf((world) => {
    for (let poll = 0; poll < 36; poll += 1)
      world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  });
  const sets = {
    rules: [rule()],
    against: [rule({ forMs: 30 * SECOND })],
    acting: ACTING,
    limits: DEFAULT_LIMITS,
  };
  const { against: all } = runBacktest(source, sets);
  expect(all?.difference.moved).toHaveLength(1);
  const { outcome, against } = runBacktest(source, { ...sets, since: START + 5 * MINUTE });
  expect(outcome.alerts).toHaveLength(1);
  expect(against && isDifferent(against.difference)).toBe(false);
});

describe("the time after the last item before --until", () => {
  const sets = { rules: [rule({ forMs: 15 * SECOND })], acting: ACTING, limits: DEFAULT_LIMITS };
  const alertsUntil = (until: Instant, happens: (world: World) => void) => {
    const source = recordOf((world) => {
      world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
      happens(world);
      world.sees("exchanges", [exchange("BINANCE", "disabled")]);
    });
    return runBacktest(source, { ...sets, until }).outcome.alerts;
  };

  it("passes too, so an alert fires in it", () => {
    const at = START + 25 * SECOND;
    const nothing = (world: World) => world.passes("25s");
    expect(alertsUntil(at - SECOND, nothing)).toEqual([]);
    expect(alertsUntil(at + 5 * SECOND, nothing)).toMatchObject([{ firedAt: at }]);
    expect(alertsUntil(at + MINUTE, nothing)).toMatchObject([{ firedAt: at }]);
  });

  it("is not known if it is in a gap", () => {
    expect(alertsUntil(START + MINUTE, (world) => world.restarts("4m"))).toEqual([]);
  });

  it("does not pass if the machine slept", () => {
    const sleeps = (world: World): void => {
      const { now: since } = world;
      world.now += 4 * MINUTE;
      world.tell({ type: "resumed", since, awayMs: 4 * MINUTE });
    };
    expect(alertsUntil(START + MINUTE, sleeps)).toEqual([]);
  });
});

it("marks what is found about the repair of an entity as uncertain, as what is about the entity", () => {
  const source = recordOf((world) => {
    for (let poll = 0; poll < 24; poll += 1)
      world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  });
  const failed = { alert: "RemediationFailed", kind: "repair", when: factIs("exhausted", true) };
  const rules = [rule({ act: repair({ attempts: 1 }) }), rule({ ...failed, annotations: {} })];
  const { outcome } = runBacktest(source, { rules, acting: ACTING, limits: DEFAULT_LIMITS });
  expect(outcome.divergences).toMatchObject([{ why: "sent" }]);
  expect(outcome.alerts).toMatchObject([
    { rule: "ExchangeDisabled", counterfactual: true },
    { rule: "RemediationFailed", entity: { id: "exchange/BINANCE" }, counterfactual: true },
  ]);
});

describe("the actions before --since that limits count", () => {
  const polls = (world: World, id: string): void => {
    for (let poll = 0; poll < 6; poll += 1)
      world.passes("10s").sees("exchanges", [exchange(id, "disabled")]);
    world.passes("10s").sees("exchanges", [exchange(id, "enabled")]);
  };
  const source = recordOf((world) => {
    polls(world, "BINANCE");
    polls(world.leaps("25h").leaps("25h").leaps("27h"), "BINANCE");
  });
  const stopped = (change: Partial<RuleAction>, acting: Partial<ActingPolicy> = {}) => {
    const rules = [rule({ act: repair(change) })];
    const given = { rules, acting: { ...ACTING, ...acting }, limits: DEFAULT_LIMITS };
    return [undefined, START + 76 * HOUR].map((since) =>
      runBacktest(source, { ...given, since }).outcome.stopped.map(({ reason }) => reason),
    );
  };
  const once = { max: 1, perMs: 7 * 24 * HOUR };

  it.each([
    ["the budget of a rule", "budget", stopped({ budget: once })],
    ["the budget of all actions", "budget", stopped({}, { budget: once })],
    ["the budget of an action", "budget", stopped({}, { budgets: { enable_exchange: once } })],
    ["the cooldown", "cooldown", stopped({ cooldownMs: 7 * 24 * HOUR })],
  ])("are known to %s", (_, reason, [all, late]) => {
    expect(all).toContain(reason);
    expect(late).toEqual(all);
  });
});

describe("what people have ordered before the first chapter that is read", () => {
  const sets = {
    rules: [rule({ forMs: 20 * SECOND, act: repair() })],
    acting: ACTING,
    limits: DEFAULT_LIMITS,
  };
  const polls = (world: World): void => {
    for (let poll = 0; poll < 12; poll += 1)
      world.passes("10s").sees("exchanges", [exchange("BINANCE", "disabled")]);
  };
  /** Three days later, an exchange is disabled. */
  const outcomeOf = (happens: (world: World) => void, since = START + 76 * HOUR) => {
    const source = recordOf((world) => {
      happens(world);
      polls(world.leaps("25h").leaps("25h").leaps("27h"));
    });
    return runBacktest(source, { ...sets, since }).outcome;
  };
  const kill = (world: World) => world.commands({ name: "kill", source: "operator" });
  const unkill = (world: World) => world.commands({ name: "unkill", source: "operator" });
  const hold = (world: World, scope: Scope = {}) =>
    world.commands({ name: "hold", scope, until: START + 200 * HOUR });

  it("stops actions as long as it stands", () => {
    const free = outcomeOf(() => undefined);
    expect(free.actions).toHaveLength(1);
    expect(outcomeOf(kill)).toMatchObject({ actions: [], stopped: [{ reason: "killed" }] });
    const file = (world: World) => world.commands({ name: "kill", source: "file" });
    for (const since of [START, START + 76 * HOUR])
      expect(outcomeOf(file, since)).toMatchObject({
        actions: [],
        stopped: [{ reason: "killed" }],
      });
    expect(outcomeOf(hold)).toMatchObject({ actions: [], stopped: [{ reason: "held" }] });
    expect(outcomeOf((world) => unkill(kill(world)))).toEqual(free);
    expect(outcomeOf((world) => hold(world).commands({ name: "release", hold: "h1" }))).toEqual(
      free,
    );
  });

  it("is released by its id, though the replay does not know all that came before", () => {
    const released = (world: World): void => {
      hold(world, { kind: "pool" }).leaps("25h").leaps("25h");
      hold(world).commands({ name: "release", hold: "h2" });
    };
    expect(outcomeOf(released, START + 60 * HOUR).actions).toHaveLength(1);
  });

  it("is no kill switch by a journal that failed then", () => {
    const failed = outcomeOf((world) => world.commands({ name: "kill", source: "journal" }));
    expect(failed.actions).toHaveLength(1);
  });

  it("is not known of a record that does not have it, and the rest is", () => {
    const source = recordOf((world) => {
      kill(world);
      polls(world.leaps("25h").leaps("25h").leaps("27h"));
    });
    const old = {
      ...source,
      *pages(from: Instant, unit: string) {
        for (const page of source.pages(from, unit))
          yield "problem" in page ? page : { ...page, body: withoutOrders(page.body) };
      },
    };
    expect(runBacktest(old, sets).outcome.actions).toHaveLength(0);
    expect(runBacktest(old, { ...sets, since: START + 76 * HOUR }).outcome.actions).toHaveLength(1);
  });

  it("may have been ended in a gap", () => {
    const source = recordOf((world) => {
      const { onStep } = hold(kill(world));
      world.onStep = () => undefined;
      unkill(world).commands({ name: "release", hold: "h1" });
      world.onStep = onStep;
      polls(world.restarts("30m").passes("1h"));
    });
    expect(runBacktest(source, sets).outcome.actions).toHaveLength(1);
  });
});

/** A page as versions wrote it that did not record holds and kill switches at the begin of a chapter. */
function withoutOrders(body: string): string {
  return JSON.stringify(JSON.parse(body), (key, value: unknown) =>
    key === "holds" || key === "kills" ? undefined : value,
  );
}
