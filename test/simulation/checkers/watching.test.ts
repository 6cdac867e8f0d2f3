/** Tests src/simulation/checkers: watching. */
import { describe, expect, it, test } from "vitest";
import type { RunEvent } from "../../../src/simulation/run-event.ts";
import type { Event } from "../../../src/domain/step.ts";
import { MINUTE } from "../../../src/domain/time.ts";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { condition, exchange, factIs, pair, policyOf, repair, rule } from "../../core/fixtures.ts";
import { onStep, repairing, repairs, inspected, withFacts, withTable } from "./tampered-run.ts";
import type { Step, Tamper } from "./tampered-run.ts";

const good = [exchange("A", "enabled"), exchange("Z", "enabled")];
const bad = [exchange("A", "disabled"), exchange("Z", "enabled")];
const RULES = { rules: [rule({ forMs: 5_000, keepFiringForMs: 5_000 })] };

const at = (is: (step: Step) => boolean, change: (step: Step) => RunEvent): Tamper =>
  onStep((step) => (is(step) ? change(step) : step));

const changesAlert =
  (change: string) =>
  ({ result }: Step): boolean =>
    result.findings.some((one) => one.type === "alert" && one.change === change);

function withoutReading(step: Step): Step {
  if (step.event.type !== "observed") return step;
  const { observation } = step.event;
  const reading = { ok: false, failure: { reason: "timeout", message: "" } } as const;
  const parts = observation.parts.map((part) => ({ ...part, reading }));
  return { ...step, event: { ...step.event, observation: { ...observation, parts } } };
}

describe("What an alert does is caught if it", () => {
  test.each<[string, RegExp, Tamper]>([
    [
      "fires before for",
      /^5 unknown: .*firing .* and for is 1m/,
      onStep((step) => ({ ...step, policy: paced(step, 60_000) })),
    ],
    [
      "does not fire",
      /^5 what is bad fires: .*is not there .* bad for 5s/,
      onStep((step) => ({ ...step, state: withTable(step.state, "alert", new Map()) })),
    ],
    [
      "resolves by a failed reading",
      /^5 unknown: .*resolved .*failed/,
      at(changesAlert("resolved"), (step) =>
        withoutReading({ ...step, event: { ...observing(step) } }),
      ),
    ],
  ])("%s", (_, expected, tamper) => {
    const { world, violations } = inspected(tamper, { rules: [rule({ forMs: 5_000 })] });
    world.sees("exchanges", good).passes("5s").sees("exchanges", bad).passes("5s");
    world.sees("exchanges", bad).passes("5s").sees("exchanges", good).passes("6s");
    expect(violations).toContainEqual(expect.stringMatching(expected));
  });

  it("but not if a listing that lacks much at once makes unknown what was missing before", () => {
    const missing = rule({
      alert: "ExchangeMissing",
      when: factIs("status", "missing"),
      forMs: 9_000,
    });
    const { world, violations } = inspected(undefined, { rules: [missing] });
    const seen = (...names: readonly string[]) => names.map((name) => exchange(name, "enabled"));
    world
      .passes("1s")
      .sees("exchanges", seen("A", "B", "C", "D", "E"))
      .passes("1s");
    for (let poll = 0; poll < 2; poll += 1)
      world.sees("exchanges", seen("B", "C", "D", "E")).passes("1s");
    world.sees("exchanges", seen("E")).passes("20s");
    expect(world.alerts()).toContain("ExchangeMissing A pending (unknown)");
    expect(violations).toEqual([]);
  });

  it("resolves before keep_firing_for", () => {
    const { world, violations } = inspected(
      onStep((step) => ({ ...step, policy: paced(step, 0, 60_000) })),
      RULES,
    );
    world.sees("exchanges", bad).passes("6s").sees("exchanges", good).passes("9s");
    expect(violations).toContainEqual(expect.stringMatching(/^5 unknown: .*keep_firing_for is 1m/));
  });

  it("goes on for what is well", () => {
    let firing: Step["state"]["tables"]["alert"] | undefined;
    const { world, violations } = inspected(
      onStep((step) => {
        if (changesAlert("firing")(step)) firing = structuredClone(step.state.tables.alert);
        return firing === undefined
          ? step
          : {
              ...step,
              state: {
                ...step.state,
                tables: { ...step.state.tables, alert: firing },
              },
            };
      }),
      RULES,
    );
    world.sees("exchanges", bad).passes("6s").sees("exchanges", good).passes("9s");
    expect(violations).toContainEqual(expect.stringMatching(/^5 what is bad fires: .*well for/));
  });
});

function observing({ event }: Step): Extract<Event, { type: "observed" }> {
  if (event.type !== "observed") throw new Error(`a ${event.type} event`);
  return event;
}

function paced({ policy }: Step, forMs: number, keepFiringForMs = 0): Step["policy"] {
  const rules = [...policy.rules].map(
    ([name, one]) => [name, { ...one, forMs, keepFiringForMs }] as const,
  );
  return { ...policy, rules: new Map(rules) };
}

it("Alerts that live as they should violate nothing, whatever readings say", () => {
  const { world, violations } = inspected(undefined, RULES);
  world.sees("exchanges", good).passes("5s").sees("exchanges", bad).passes("3s");
  world.fails("exchanges").passes("10s").sees("exchanges", bad).passes("3s").restarts("20s");
  world.sees("exchanges", bad).passes("40s").sees("exchanges", bad).passes("10s");
  world.sees("exchanges", [exchange("Z", "enabled"), pair("A", "ORN-USDT")]).passes("10s");
  world.reads("exchanges", [exchange("Z", "enabled")], { complete: false }).passes("10s");
  world.sees("exchanges", []).passes("9s").sees("exchanges", good).passes("10s");
  expect(violations).toEqual([]);
});

it("A listing that lacks all is doubted again after a restart, which is not a violation", () => {
  const { world, violations } = inspected(undefined, RULES);
  world.sees("exchanges", bad).passes("5s").sees("exchanges", bad).passes("2s");
  world.sees("exchanges", []).passes("5s").restarts();
  world.sees("exchanges", []).passes("5s").sees("exchanges", []).passes("1s");
  expect(violations).toEqual([]);
});

it("A reload makes nothing sure that a part of a listing said, and what is unsure keeps its alert", () => {
  const { world, violations } = inspected(undefined, RULES);
  const doubt = { reason: "partial_content", detail: "exchanges: status 206" } as const;
  world.sees("exchanges", bad).passes("6s");
  world.reads("exchanges", good, { evidence: { doubt } }).passes("1s");
  const rulesBefore = ruleHashes(world.policy.rules);
  world.policy = policyOf([rule({ forMs: 5_000, keepFiringForMs: 5_000, hash: "other" })]);
  world.tell({ type: "policy_changed", rulesBefore, moved: [] }).passes("8s");
  world.sees("exchanges", good).passes("6s");
  expect(violations).toEqual([]);
});

describe("Staleness is caught if", () => {
  it("a silent poller is not said to be stale, and if what it knew is still taken for known", () => {
    const tamper = onStep((step) => {
      const state = withFacts(step.state, "poller", { stale: false });
      const rows = [...state.tables.entity].map(([key, row]) => {
        const { unknownSince: _, ...known } = row;
        return [key, known] as const;
      });
      return { ...step, state: withTable(state, "entity", new Map(rows)) };
    });
    const { world, violations } = inspected(tamper);
    world.sees("exchanges", good).passes("40s");
    expect(violations).toContainEqual(
      expect.stringMatching(/^5 staleness: .*poller\/exchanges is not stale/),
    );
    expect(violations).toContainEqual(
      expect.stringMatching(/^5 staleness: bsc\/exchange\/A is taken for known/),
    );
  });
});

describe("A restart or a reload is caught that", () => {
  const afterStart = (
    change: (seen: Extract<RunEvent, { type: "restarted" }>) => RunEvent,
  ): Tamper => {
    let starts = 0;
    return (seen) => (seen.type === "restarted" && (starts += 1) > 1 ? change(seen) : seen);
  };

  test.each<[string, RegExp, Tamper]>([
    [
      "loses a row",
      /^4 what was committed: .*alert .* is lost/,
      afterStart((seen) => ({ ...seen, state: withTable(seen.state, "alert", new Map()) })),
    ],
    [
      "finds another row",
      /^4 what was committed: .*poller\/exchanges is .*was written as/,
      afterStart((seen) => ({ ...seen, state: withFacts(seen.state, "poller", { up: false }) })),
    ],
    ["moves a first-seen", /^7 first seen: bsc\/exchange\/A was first seen/, firstSeenMoves()],
    [
      "drops an alert",
      /^7 reloads: .*was firing, is dropped by a started event/,
      at(
        (step) => step.event.type === "started" && step.state.tables.alert.size > 0,
        (step) => ({ ...step, state: withTable(step.state, "alert", new Map()) }),
      ),
    ],
    [
      "is stamped before the last event",
      /^8 stamps: a tick event/,
      at(
        (step) => step.event.type === "tick" && step.state.tables.alert.size > 0,
        (step) => ({ ...step, stampedAt: step.stampedAt - 60_000 }),
      ),
    ],
  ])("%s", (_, expected, tamper) => {
    const { world, violations } = inspected(tamper, { rules: [rule()] });
    world.sees("exchanges", bad).passes("2s").restarts("5s").sees("exchanges", bad).passes("2s");
    expect(violations).toContainEqual(expect.stringMatching(expected));
  });

  function firstSeenMoves(): Tamper {
    let steps = 0;
    return onStep((step) => {
      steps += 1;
      const changes = step.result.changes.map((change) =>
        change.table === "entity" && steps > 3 && change.value !== undefined
          ? { ...change, value: { ...(change.value as object), firstSeen: 0 } }
          : change,
      );
      return { ...step, result: { ...step.result, changes } };
    });
  }

  it("forgets the kill switch", () => {
    const { world, violations } = inspected(
      onStep((step) => {
        const tables = { ...step.state.tables, kill: new Map() };
        return step.event.type === "started" ? { ...step, state: { ...step.state, tables } } : step;
      }),
    );
    world.commands({ name: "kill", source: "operator" }).restarts();
    expect(violations).toContainEqual(
      expect.stringMatching(
        /^2 overrides: the kill switch \(operator\), .* is off, after a started/,
      ),
    );
  });
});

describe("It is not a violation if", () => {
  const names = ["A", "B", "C", "D", "E"];

  it("an empty listing confirms one that lacked most", () => {
    const { world, violations } = inspected(undefined, { rules: [rule({ forMs: 5_000 })] });
    const all = names.map((name) => exchange(name, "disabled"));
    world.sees("exchanges", all).passes("10s");
    world.sees("exchanges", all.slice(0, 2)).passes("5s").sees("exchanges", []).passes("5s");
    const states = [...world.state.tables.alert.values()].map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["resolved"]));
    expect(violations).toEqual([]);
  });

  it("a rule that comes with a reload says nothing of what nobody can read", () => {
    const { world, violations } = inspected(undefined, { rules: [] });
    world.sees("exchanges", bad).passes("5s").fails("exchanges").passes("5s");
    const rulesBefore = ruleHashes(world.policy.rules);
    world.policy = policyOf([rule({ forMs: 5_000 })]);
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
    for (let poll = 0; poll < 4; poll += 1) world.passes("5s").fails("exchanges");
    expect([...world.state.tables.alert.values()]).toEqual([]);
    expect(violations).toEqual([]);
  });
});

it("An exception in a step is a violation", () => {
  const { violations, show } = inspected();
  show({ type: "threw", at: 0, error: "Error: x", event: "tick" });
  expect(violations).toEqual([expect.stringMatching(/^0 no bugs: the step of a tick event threw/)]);
});

it("The acting credential on a reading is a violation, and a reading as it should be is none", () => {
  const { violations, show } = inspected();
  const read = {
    type: "sent",
    at: 0,
    aggregator: "bsc",
    method: "GET",
    path: "/api/v1/exchange/list",
    purpose: "read",
  } as const;
  show({ ...read, credential: "read" });
  expect(violations).toEqual([]);
  show({ ...read, credential: "act" });
  expect(violations).toEqual([expect.stringMatching(/^6 allow-list: .*credential for acting/)]);
});

it("A request around the proxy that is set is a violation", () => {
  const { violations, show } = inspected();
  show({
    type: "sent",
    at: 0,
    aggregator: "bsc",
    method: "GET",
    path: "/api/v1/exchange/list",
    purpose: "read",
    credential: "read",
    isDirect: true,
  });
  expect(violations).toEqual([expect.stringMatching(/^6 allow-list: .*around the proxy/)]);
});

describe("After the faults it is caught if", () => {
  const calm = (world: { readonly now: number }): RunEvent => ({
    type: "faults_ended",
    at: world.now,
  });

  it("nothing is done about what is bad, though nothing stands against it", () => {
    const tamper = onStep((step) =>
      step.event.type === "command" ? { ...step, event: { type: "tick" } } : step,
    );
    const { world, violations, show } = inspected(tamper, { rules: [repairing()] });
    world.commands({ name: "kill", source: "operator" }).sees("exchanges", bad);
    show(calm(world));
    for (let poll = 0; poll < 20; poll += 1) world.passes("5s").sees("exchanges", bad);
    expect(violations.filter((one) => one.startsWith("9 nothing hangs: repairs"))).toEqual([
      expect.stringMatching(/no enable_exchange was tried.* its reason killed/),
    ]);
  });

  it("it does nothing about what is bad, and that a kill switch stands against it is not a violation", () => {
    const { world, violations, show } = inspected(undefined, { rules: [repairing()] });
    world.commands({ name: "kill", source: "operator" }).sees("exchanges", bad);
    show(calm(world));
    for (let poll = 0; poll < 20; poll += 1) world.passes("5s").sees("exchanges", bad);
    expect(violations.filter((one) => one.startsWith("9 nothing hangs: repairs"))).toEqual([]);
  });

  it("a storm stands against it, by what became bad by time alone and was never read to be bad", () => {
    const longDisabled = condition(
      "disabled for more than 7s",
      (facts, now) => facts["status"] === "disabled" && now - Number(facts["since"]) > 7_000,
      true,
    );
    const act = repair({ storm: { max: 1, maxRatio: 1, withinMs: 10 * MINUTE } });
    const { world, violations, show } = inspected(undefined, {
      rules: [rule({ when: longDisabled, act })],
    });
    const seen = (first: "enabled" | "disabled") => [
      exchange("A", first),
      exchange("B", "disabled"),
      exchange("Z", "enabled"),
    ];
    world.sees("exchanges", seen("disabled"));
    show(calm(world));
    world.passes("8s");
    expect(world.suppressions()).toContain("storm");
    for (let poll = 0; poll < 40; poll += 1) world.sees("exchanges", seen("enabled")).passes("5s");
    expect(world.alerts()).toContain("ExchangeDisabled B firing");
    expect(world.sent).toEqual([]);
    expect(violations.filter((one) => one.startsWith("9 nothing hangs: repairs"))).toEqual([]);
  });

  it("the approval of an action was used up that could not be committed, which is not a violation", () => {
    const { world, violations, show } = inspected(undefined, {
      rules: [repairing({ mode: "propose" })],
    });
    world.onStep = (_event, { effects }) => {
      world.journal.broken = effects.some(({ type }) => type === "act");
    };
    world.sees("exchanges", bad).approves("p1").passes("1s");
    expect(world.remediations()).toEqual(["r1 rejected"]);
    world.journalHeals();
    show(calm(world));
    for (let poll = 0; poll < 100; poll += 1) world.passes("5s").sees("exchanges", bad);
    expect(world.sent).toEqual([]);
    expect(violations.filter((one) => one.startsWith("9 nothing hangs: repairs"))).toEqual([]);
  });

  it("a repair was denied before the mode became act, which is not a violation", () => {
    const acting = repairing({ mode: "act" });
    const { world, violations, show } = inspected(undefined, { rules: [acting] });
    const proposing = { ...world.policy.acting, mode: "propose" } as const;
    const { policy } = world;
    world.policy = { ...policy, acting: proposing };
    world.sees("exchanges", bad).commands({ name: "deny", proposal: "p1" });
    world.policy = policy;
    show(calm(world));
    for (let poll = 0; poll < 100; poll += 1) world.passes("5s").sees("exchanges", bad);
    expect(world.suppressions()).toContain("approval");
    expect(world.sent).toEqual([]);
    expect(violations.filter((one) => one.startsWith("9 nothing hangs: repairs"))).toEqual([]);
  });

  it("an approval was for an earlier run of the alert, which is not a violation", () => {
    const { world, violations, show } = inspected(undefined, {
      rules: [repairing({ mode: "propose" })],
    });
    const until = world.now + 3_600_000;
    world.commands({ name: "hold", scope: { kind: "exchange" }, until });
    world.sees("exchanges", bad).commands({ name: "release", hold: "h1" }).passes("1s");
    world.commands({ name: "hold", scope: { kind: "exchange" }, until });
    world.approves("p1");
    world.sees("exchanges", good).passes("5s").sees("exchanges", bad);
    world.commands({ name: "release", hold: "h2" });
    show(calm(world));
    for (let poll = 0; poll < 100; poll += 1) world.passes("5s").sees("exchanges", bad);
    expect(world.found("proposed").map(({ proposal }) => proposal)).toEqual(["p1", "p2"]);
    expect(violations.filter((one) => !one.startsWith("9 nothing hangs: progress"))).toEqual([]);
  });

  it("a confirmation is waited for beyond confirm_within", () => {
    const { world, violations, show } = inspected(undefined, { probes: "silent" });
    world.sees("exchanges", bad).passes("2s");
    expect(world.state.confirming.size).toBe(1);
    const tick = {
      type: "step",
      policy: world.policy,
      state: world.state,
      event: { type: "tick" },
      result: { changes: [], effects: [], findings: [] },
      durable: true,
    } as const;
    const late = world.now + world.policy.acting.confirmWithinMs;
    show({ ...tick, at: late, stampedAt: late });
    expect(violations).toEqual([
      expect.stringMatching(/^9 nothing hangs: progress: .*waits for a confirmation/),
    ]);
  });

  it("no poll comes, or no tick", () => {
    const { world, violations, show } = inspected();
    show(calm(world));
    world.passes("2m");
    expect(violations).toContainEqual(
      expect.stringMatching(/^9 nothing hangs: progress: bsc\/exchanges was polled last/),
    );
    show({
      type: "ended",
      at: world.now + 60_000,
      policy: world.policy,
      state: world.state,
      truth: [],
    });
    expect(violations).toContainEqual(
      expect.stringMatching(/^9 nothing hangs: progress: no tick came/),
    );
  });

  it("attempts are used up, and nobody is told", () => {
    const { world, violations, show } = inspected(undefined, {
      rules: [repairing({ attempts: 1, verifyWithinMs: 5_000 })],
    });
    world.sees("exchanges", bad).passes("1s").replies("r1", "acknowledged").passes("9s");
    const ended = { type: "ended", at: world.now, policy: world.policy, truth: [] } as const;
    show({ ...ended, state: world.state });
    expect(violations).toEqual([]);
    show({ ...ended, state: withFacts(world.state, "repair", { exhausted: false }) });
    expect(violations).toContainEqual(
      expect.stringMatching(/^9 nothing hangs: escalation: .*not said to be exhausted/),
    );
  });

  it("what it takes for true is not what is", () => {
    const { world, violations, show } = inspected();
    repairs(world);
    const exchanges = [
      { name: "A", enabled: false },
      { name: "Z", enabled: true },
    ];
    const truth = [
      { aggregator: "bsc", exchanges, disabledPairs: ["Z/ORN-USDT"], liquidations: [] },
    ];
    show({ type: "ended", at: world.now, policy: world.policy, state: world.state, truth });
    expect(violations).toEqual([
      expect.stringMatching(/^9 nothing hangs: truth: bsc\/exchange\/A is taken for enabled/),
      expect.stringMatching(
        /^9 nothing hangs: truth: bsc\/pair\/Z\/ORN-USDT is not taken for disabled/,
      ),
    ]);
  });
});

it("An entity that is known after it has left the watch list is a violation", () => {
  const { world, violations, show } = inspected();
  world.sees("exchanges", good).passes("1s");
  const [aggregator] = world.policy.aggregators;
  if (aggregator === undefined) throw new Error("nothing is watched");
  const watching = (surface: string) => ({
    ...world.policy,
    aggregators: [
      {
        ...aggregator,
        pollers: aggregator.pollers.map((one) => ({ ...one, surfaces: new Set([surface]) })),
      },
    ],
  });
  const step = {
    type: "step",
    at: world.now,
    stampedAt: world.now,
    state: world.state,
    event: { type: "watch_changed", listed: [] },
    result: { changes: [], effects: [], findings: [] },
    durable: true,
  } as const;
  show({ ...step, policy: watching("all") });
  expect(violations).toEqual([]);
  show({ ...step, policy: watching("another") });
  expect(violations).toContainEqual(
    expect.stringMatching(/^7 watch lists: bsc\/exchange\/A is known after a watch_changed/),
  );
});

it("A reading that was asked earlier and undoes a newer one is a violation", () => {
  const { world, violations, show } = inspected();
  world.sees("exchanges", good).passes("5s");
  let last: Step | undefined;
  world.onStep = () => undefined;
  world.witness = (seen) => {
    if (seen.type === "step") last = seen;
    show(seen);
  };
  world.sees("exchanges", good, { askedAgo: "2s" });
  expect(violations).toEqual([]);
  if (last === undefined) throw new Error("nothing was read");
  const [key, surface] = [...last.state.surfaces][0] ?? [];
  if (key === undefined || surface?.askedAt === undefined) throw new Error("no surface is known");
  const surfaces = new Map([[key, { ...surface, askedAt: surface.askedAt - 3_000 }]]);
  show({ ...last, state: { ...last.state, surfaces } });
  expect(violations).toContainEqual(expect.stringMatching(/^1 newest reading: .*asked again at/));
});
