import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../src/domain/entity.ts";
import type { Rule } from "../../src/domain/rule.ts";
import type { ActingPolicy, Finding } from "../../src/domain/step.ts";
import { MINUTE, SECOND, type Instant } from "../../src/domain/time.ts";
import type { Recorded } from "../../src/record/rebuild.ts";
import { toEnd } from "../../src/domain/slices.ts";
import { landmarksOf } from "../../src/backtest/landmarks.ts";
import { replay, type Divergence, type ReplayOptions } from "../../src/backtest/replay.ts";
import { condition, exchange, factIs, policyOf, repair, rule } from "../core/fixtures.ts";
import { START } from "../core/world.ts";
import { eventful, happening, recorded, type Found } from "./eventful.ts";

/** `PROPERTY_RUNS=5000` looks further, from another seed each time; else every run is the same. */
const asked = process.env["PROPERTY_RUNS"];
const RUNS = asked === undefined ? { numRuns: 150, seed: 42 } : { numRuns: Number(asked) };

function replayed(
  told: readonly Recorded[],
  rules: readonly Rule[],
  options: {
    readonly acting?: Partial<ActingPolicy>;
    readonly ticks?: ReplayOptions["ticks"];
  } = {},
) {
  const found: Found[] = [];
  const divergences: Array<{ at: Instant; entity: string; why: Divergence }> = [];
  const { state, steps } = toEnd(
    replay({
      policy: policyOf(rules, options.acting ?? {}),
      record: told,
      landmarks: toEnd(landmarksOf(told)),
      ...(options.ticks === undefined ? {} : { ticks: options.ticks }),
      onFinding: (at, finding) => found.push({ at, finding: structuredClone(finding) }),
      onDivergence: (at, entity, why) => divergences.push({ at, entity, why }),
    }),
  );
  return { found, divergences, state, steps };
}

/** How long polls took is not recorded as such, nor the order of the surfaces of a poll. */
function comparable(found: readonly Found[]): unknown[] {
  const ofInstants = Map.groupBy(found, ({ at }) => at);
  return [...ofInstants].map(([at, ofInstant]) => {
    const findings = ofInstant.map(({ finding }) =>
      finding.type === "polled" ? { ...finding, durationMs: 0 } : finding,
    );
    return {
      at,
      findings: findings.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    };
  });
}

function keyOf(finding: Finding): string {
  return JSON.stringify(finding);
}

const DISABLED = rule({ forMs: 20 * SECOND, keepFiringForMs: 15 * SECOND, act: repair() });
const EMPTY = rule({
  alert: "PoolEmpty",
  kind: "pool",
  when: condition("base < 10", ({ base }) => (base === undefined ? undefined : Number(base) < 10)),
  windows: [{ name: "base_max", fact: "base", function: "max", lengthMs: MINUTE }],
});
/** Flips by time, and says when. */
const LONG: Rule = {
  ...rule({
    alert: "LongDisabled",
    act: repair({
      cooldownMs: 30 * SECOND,
      attempts: 2,
      storm: { max: 2, maxRatio: 0.5, withinMs: 45 * SECOND },
    }),
  }),
  when: {
    ...condition(
      "disabled for 40s",
      ({ status, since }, now) => status === "disabled" && now - Number(since) > 40 * SECOND,
      true,
    ),
    nextFlip: ({ facts, now }) => {
      const flip = Number(facts["since"]) + 40 * SECOND + 1;
      return flip > now ? flip : Infinity;
    },
  },
};
/** Flips by time, and does not say when. */
const ODD = rule({
  alert: "OddMinute",
  when: condition("odd", (_, now) => Math.floor(now / MINUTE) % 2 === 1, true),
});
/** So does what it acts by. */
const EVEN = rule({
  alert: "EvenDisabled",
  forMs: 30 * SECOND,
  act: repair({
    condition: condition("even", (_, now) => Math.floor(now / MINUTE) % 2 === 0, true),
  }),
});
const DOWN = rule({
  alert: "PollerDown",
  kind: "poller",
  when: factIs("up", false),
  // Just under the time of two polls: it runs out between the second poll and the tick before it.
  keepFiringForMs: 18_400,
});
const STALE = rule({ alert: "PollerStale", kind: "poller", when: factIs("stale", true) });
const STUCK = rule({
  alert: "Stuck",
  kind: "liquidation",
  when: factIs("open", true),
  forMs: 15 * SECOND,
});
/** Of pools, by what was read of something else. */
const DEPARTED = rule({
  alert: "EstimateDeparted",
  kind: "pool",
  when: condition("estimate > 3", ({ estimate }) =>
    estimate === undefined ? undefined : Number(estimate) > 3,
  ),
});
const RULES = [DISABLED, EMPTY, LONG, DOWN, STALE, STUCK, DEPARTED];

const acting = fc.record({
  maxAgeMs: fc.constantFrom(5 * SECOND, 5 * MINUTE),
  settleAfterStartMs: fc.constantFrom(0, 100 * SECOND),
  budget: fc.constantFrom({ max: 1, perMs: 2 * MINUTE }, { max: 20, perMs: 10 * MINUTE }),
  mode: fc.constantFrom("act" as const, "propose" as const, "shadow" as const),
  approvalExpiresAfterMs: fc.constant(90 * SECOND),
});

describe("a replay", () => {
  it("by the rules that were in force finds what was found live, at the same instants", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 25 }), acting, (happenings, how) => {
        const { live, told } = eventful(happenings, RULES, how);
        const { found, divergences } = replayed(told(), RULES, { acting: how });
        const last = live.at(-1)?.at ?? START;
        const until = found.filter(({ at }) => at <= last);
        expect(comparable(until)).toEqual(comparable(live));
        expect(divergences).toEqual([]);
      }),
      RUNS,
    );
  });

  it("lets acting grow after a hold that ran out while nothing ran, as it was live", () => {
    const rules = [rule({ act: repair({ storm: { max: 9, maxRatio: 1, withinMs: 0 } }) })];
    const disabled = ["A", "B", "C"].map((id) => exchange(id, "disabled"));
    const { world, live, told } = recorded(rules);
    world.commands({ name: "hold", scope: {}, until: world.now + 10 * SECOND });
    world.passes("1500ms").sees("exchanges", disabled);
    world.restarts("30s").passes("1500ms").sees("exchanges", disabled).passes("5s");
    const { found, divergences } = replayed(told(), rules);
    expect(divergences).toEqual([]);
    expect(comparable(found)).toEqual(comparable(live));
  });

  it("gives up what was sent to an address that was left over a restart, as it was live", () => {
    const rules = [rule({ act: repair({ cooldownMs: SECOND }) })];
    const disabled = [exchange("A", "disabled")];
    const { world, live, told } = recorded(rules);
    for (const address of [1, 2])
      world.restartsAt(address).passes("1500ms").sees("exchanges", disabled).passes("3s");
    const { found, divergences } = replayed(told(), rules);
    expect(divergences).toEqual([]);
    expect(comparable(found)).toEqual(comparable(live));
  });

  it("lets no tick pass while the machine slept, as it was live", () => {
    const rules = [rule({ forMs: 20 * SECOND, act: repair() })];
    const { world, live, told } = recorded(rules);
    world
      .passes("1500ms")
      .sees("exchanges", [exchange("A", "disabled")])
      .passes("2s");
    const since = world.now;
    world.now += 10 * MINUTE;
    world.tell({ type: "resumed", since, awayMs: 10 * MINUTE });
    world
      .passes("1500ms")
      .sees("exchanges", [exchange("A", "disabled")])
      .passes("30s");
    const { found, divergences } = replayed(told(), rules);
    expect(divergences).toEqual([]);
    expect(comparable(found)).toEqual(comparable(live));
  });

  it("takes a probe's answer of the very millisecond of a tick before that tick, as it was live", () => {
    const both = [
      rule({ act: repair() }),
      rule({ alert: "Watched", act: repair({ mode: "shadow" }) }),
    ];
    const { world, live, told } = recorded(both);
    // The answer comes after a tenth of a second, and the action is sent in its step.
    world
      .passes("900ms")
      .sees("exchanges", [exchange("A", "disabled")])
      .passes("5s");
    const { found } = replayed(told(), both);
    const acts = live.flatMap(({ at, finding }): Array<[Instant, string]> => {
      if (finding.type === "suppressed") return [[at - START, finding.reason]];
      return finding.type === "remediation" ? [[at - START, finding.remediation.state]] : [];
    });
    expect(acts).toEqual([
      [900, "shadow"],
      [1000, "requested"],
      [1000, "in_flight"],
    ]);
    expect(comparable(found)).toEqual(comparable(live));
  });

  it("without the ticks that change nothing is the same as with every one of them", () => {
    const rules = [...RULES, ODD, EVEN];
    fc.assert(
      fc.property(
        fc.array(happening, { maxLength: 25 }),
        acting,
        fc.boolean(),
        (happenings, how, odd) => {
          // Recorded under other rules, so that most answers are made up.
          const told = eventful(happenings, [], {})
            .told()
            // Those that were recorded would be taken by both.
            .filter((one) => one.type !== "event" || one.event.type !== "tick");
          const judged = odd ? rules : RULES;
          const needed = replayed(told, judged, { acting: how });
          const all = replayed(told, judged, { acting: how, ticks: "all" });
          expect(needed.found).toEqual(all.found);
          expect(needed.divergences).toEqual(all.divergences);
          expect(needed.state.tables).toEqual(all.state.tables);
          expect(needed.steps).toBeLessThanOrEqual(all.steps);
        },
      ),
      RUNS,
    );
  });

  it("leaves out nearly all ticks of a quiet time", () => {
    const { world, told } = recorded([DISABLED]);
    const quiet = ["A", "B"].map((id) => exchange(id, "enabled"));
    for (let poll = 0; poll < 360; poll += 1) {
      for (const poller of ["exchanges", "liquidations", "pools"]) {
        world.sees(poller, poller === "exchanges" ? quiet : []);
      }
      world.passes("10s");
    }
    const { steps } = replayed(told(), [DISABLED]);
    expect(steps).toBeLessThan(360 * 3 + 40);
  });
});

describe("a poll that reads what the one before it read", () => {
  const quiet = [exchange("A", "enabled"), exchange("B", "disabled")];

  /** Each poll took another while. */
  function withDuration(item: Recorded, durationMs: number): Recorded {
    if (item.type !== "event" || item.event.type !== "observed") return item;
    const observation = { ...item.event.observation, durationMs };
    return { ...item, event: { ...item.event, observation } };
  }

  /** A record of twenty minutes of them: a replay finds the same with every tick and every step as without. */
  function minutes(rules: readonly Rule[], listed: readonly SeenEntity[] = quiet) {
    const { world, told, live } = recorded(rules);
    for (let poll = 0; poll < 120; poll += 1) world.sees("exchanges", listed).passes("10s");
    const items = told().map(withDuration);
    const needed = replayed(items, rules);
    const all = replayed(items, rules, { ticks: "all" });
    expect(needed.found).toEqual(all.found);
    expect(needed.state.tables).toEqual(all.state.tables);
    expect(comparable(needed.found)).toEqual(comparable(live));
    return needed;
  }

  it("needs no step, and is found as polled", () => {
    const { found, steps } = minutes([rule({}), STALE]);
    expect(found.filter(({ finding }) => finding.type === "polled")).toHaveLength(120);
    expect(steps).toBeLessThan(20);
  });

  it("needs no step either after alerts that moved by time alone since that one", () => {
    const rules = [rule({ forMs: 15_000, keepFiringForMs: 15_000 })];
    const { world, told } = recorded(rules);
    const listings = [[exchange("A", "disabled")], [exchange("A", "enabled")]];
    for (let turn = 0; turn < 20; turn += 1) {
      const listing = listings[turn % 2] ?? [];
      for (let poll = 0; poll < 12; poll += 1) world.sees("exchanges", listing).passes("10s");
    }
    const { found, steps } = replayed(told(), rules);
    expect(found).toEqual(replayed(told(), rules, { ticks: "all" }).found);
    expect(found.filter(({ finding }) => finding.type === "alert")).toHaveLength(30);
    // The poll that reads otherwise and its tick, and the one that moves the alert and its own.
    expect(steps).toBeLessThan(20 * 4 + 10);
  });

  /** A condition that is one thing for a minute, and another from then on. */
  const minuteThen = (first: boolean | undefined, then: boolean | undefined): Rule["when"] => ({
    ...condition("by time", (_, now) => (now <= START + MINUTE ? first : then), true),
    nextFlip: ({ now }) => (now <= START + MINUTE ? START + MINUTE + 1 : Infinity),
  });

  it("fires an alert on its poller that is due before the next tick, and was pending by time alone", () => {
    const { world, told, live } = recorded([
      rule({ alert: "Late", kind: "poller", when: minuteThen(false, true), forMs: 14_700 }),
    ]);
    const rules = [...world.policy.rules.values()];
    world.passes("5800ms");
    for (let poll = 0; poll < 12; poll += 1) world.sees("exchanges", quiet).passes("10s");
    const { found } = replayed(told(), rules);
    expect(found).toEqual(replayed(told(), rules, { ticks: "all" }).found);
    expect(comparable(found)).toEqual(comparable(live));
  });

  it("is judged by a rule on its poller that decides by time, if that has changed since the last tick", () => {
    const { world, told, live } = recorded([
      rule({ alert: "Late", kind: "poller", when: minuteThen(false, true) }),
    ]);
    const rules = [...world.policy.rules.values()];
    world.passes("500ms");
    for (let poll = 0; poll < 12; poll += 1) world.sees("exchanges", quiet).passes("10s");
    const { found } = replayed(told(), rules);
    expect(found).toEqual(replayed(told(), rules, { ticks: "all" }).found);
    expect(comparable(found)).toEqual(comparable(live));
  });

  it.each([
    { was: true, is: undefined },
    { was: undefined, is: true },
  ])("shows of its poller what no rule can decide, after $was for a minute", ({ was, is }) => {
    const when = { ...minuteThen(was, is), needs: ["listed"] };
    const blind = rule({ alert: "Blind", kind: "poller", when: factIs("undecided_ratio", 1) });
    const { found } = minutes([rule({ when }), blind], [{ kind: "exchange", id: "A", facts: {} }]);
    const alerts = found.flatMap(({ at, finding }) =>
      finding.type === "alert" && finding.alert.rule === "Blind"
        ? [[at - START, finding.change]]
        : [],
    );
    // It is time that changes it, and nothing that is read; the next poll shows that.
    expect(alerts.at(-1)).toEqual([70 * SECOND, was === true ? "firing" : "resolved"]);
  });

  it("is judged by a rule that decides by when the poller last succeeded", () => {
    const odd = condition("last_success is odd", ({ last_success: at }) =>
      at === undefined ? undefined : Math.floor(Number(at) / MINUTE) % 2 === 1,
    );
    const when = { ...odd, reads: ["last_success"] };
    const { found } = minutes([rule({ alert: "OddSuccess", kind: "poller", when })]);
    const changes = found.filter(({ finding }) => finding.type === "alert");
    expect(changes.length).toBeGreaterThan(9);
  });

  it("is remembered by a window on what is read of the poller", () => {
    const windows = [
      { name: "failures", fact: "consecutive_failures", function: "avg", lengthMs: 5 * MINUTE },
    ] as const;
    minutes([rule({ alert: "Failing", kind: "poller", when: factIs("up", false), windows })]);
  });

  it("verifies an action that the one before it was asked too early for", () => {
    const { world, told } = recorded([DISABLED]);
    for (let poll = 0; poll < 4; poll += 1) world.sees("exchanges", quiet).passes("10s");
    const repaired = quiet.map(({ id }) => exchange(id, "enabled"));
    world.replies("r1", "acknowledged");
    for (let poll = 0; poll < 4; poll += 1) world.sees("exchanges", repaired).passes("3s");
    const needed = replayed(told(), [DISABLED]);
    const all = replayed(told(), [DISABLED], { ticks: "all" });
    expect(needed.found).toEqual(all.found);
    expect(needed.state.tables).toEqual(all.state.tables);
  });
});

describe("a reading that tells nothing new of any entity", () => {
  const listed = [exchange("A", "disabled"), exchange("B", "enabled")];
  const suppressions = (found: readonly Found[]): string[] =>
    found.flatMap(({ finding }) => (finding.type === "suppressed" ? [finding.reason] : []));

  /** By rules that act, where those that were in force did not. */
  function bothWays(told: readonly Recorded[], acting: Partial<ActingPolicy> = {}) {
    const needed = replayed(told, [DISABLED], { acting });
    const all = replayed(told, [DISABLED], { acting, ticks: "all" });
    expect(needed.found).toEqual(all.found);
    return needed;
  }

  it("calls for no tick, though an alert wants its action", () => {
    const { world, told } = recorded([DOWN]);
    for (let poll = 0; poll < 59; poll += 1) world.sees("exchanges", listed).passes("10s");
    const { found, steps } = bothWays(told(), { mode: "shadow" });
    expect(suppressions(found)).toEqual(["shadow"]);
    expect(steps).toBeLessThan(59 + 20);
  });

  it("calls for one if its listing is cut, or complete again", () => {
    const { world, told } = recorded([DOWN]);
    for (let poll = 0; poll < 12; poll += 1) world.sees("exchanges", listed).passes("10s");
    for (const complete of [false, false, true, true]) {
      world.reads("exchanges", listed, { complete }).passes("10s");
    }
    const { found } = bothWays(told());
    expect(suppressions(found)).toEqual(["cooldown", "stale", "cooldown"]);
  });

  it("calls for one if the guards waited for a younger one", () => {
    const { world, told } = recorded([DOWN]);
    for (let poll = 0; poll < 12; poll += 1) world.sees("exchanges", listed).passes("10s");
    world.passes("20s");
    for (let poll = 0; poll < 2; poll += 1) world.sees("exchanges", listed).passes("10s");
    const { found } = bothWays(told(), { maxAgeMs: 15 * SECOND });
    expect(suppressions(found)).toEqual(["cooldown", "stale", "cooldown"]);
  });
});

describe("the open loop of a replay", () => {
  const bad = [exchange("A", "disabled"), exchange("B", "enabled")];
  const good = [exchange("A", "enabled"), exchange("B", "enabled")];
  const at = (found: readonly Found[], state: string): Found[] =>
    found.filter(
      ({ finding }) => finding.type === "remediation" && finding.remediation.state === state,
    );

  it("is said to begin if these rules act and nothing was really sent", () => {
    const { world, told } = recorded([DOWN]);
    for (let poll = 0; poll < 12; poll += 1) world.sees("exchanges", bad).passes("10s");
    const { divergences, found } = replayed(told(), [DISABLED]);
    expect(divergences.map(({ entity, why }) => [entity, why])).toEqual([
      ["bsc/exchange/A", "sent"],
    ]);
    expect(at(found, "acknowledged")).toHaveLength(1);
    // The record goes on to show it bad, as nothing was done.
    expect(at(found, "unverified")).toHaveLength(1);
  });

  it("is said to begin if really was sent what these rules would not have sent", () => {
    const { world, told } = recorded([DISABLED]);
    for (let poll = 0; poll < 4; poll += 1) world.sees("exchanges", bad).passes("10s");
    world.replies("r1", "acknowledged").sees("exchanges", good).passes("10s");
    const { divergences } = replayed(told(), [{ ...DISABLED, forMs: 10 * MINUTE }]);
    expect(divergences.map(({ entity, why }) => [entity, why])).toEqual([
      ["bsc/exchange/A", "not_sent"],
    ]);
  });

  it("does not begin if the record holds the very action and its answer", () => {
    const { world, told } = recorded([DISABLED]);
    for (let poll = 0; poll < 4; poll += 1) world.sees("exchanges", bad).passes("10s");
    world.becomes("exchanges", good).replies("r1", "acknowledged").passes("10s");
    const { divergences, found } = replayed(told(), [DISABLED]);
    expect(divergences).toEqual([]);
    expect(at(found, "verified")).toHaveLength(1);
  });
});
