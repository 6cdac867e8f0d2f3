import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/domain/rule.ts";
import { ruleHashes } from "../../src/core/change/reload.ts";
import { tallyOf, type Observation } from "../../src/domain/observation.ts";
import type { ActingPolicy, Finding, Policy } from "../../src/domain/step.ts";
import { MINUTE, SECOND, type Instant } from "../../src/domain/time.ts";
import type { Recorded } from "../../src/record/rebuild.ts";
import { landmarksOf } from "../../src/backtest/landmarks.ts";
import { replay, type Divergence, type ReplayOptions } from "../../src/backtest/replay.ts";
import {
  AGGREGATOR,
  condition,
  exchange,
  factIs,
  order,
  policyOf,
  pool,
  repair,
  rule,
} from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { scriptedWorld, START, type World } from "../core/world.ts";
import { recordInMemory, tellOf } from "../record/in-memory.ts";

type Found = { readonly at: Instant; readonly finding: Finding };

/** `PROPERTY_RUNS=5000` looks further, from another seed each time; else every run is the same. */
const asked = process.env["PROPERTY_RUNS"];
const RUNS = asked === undefined ? { numRuns: 150, seed: 42 } : { numRuns: Number(asked) };

const ORDERS = ["o1", "o2", "o3", "o4", "o5"];

/** The usual pollers, estimations, and of the liquidations just these. */
function watching(orders: readonly string[]): Policy["aggregators"] {
  const [usual] = policyOf([]).aggregators;
  const pollers = (usual?.pollers ?? []).map((poller) =>
    poller.name === "liquidations" ? { ...poller, surfaces: new Set(orders) } : poller,
  );
  const estimations = { name: "estimations", intervalMs: 10 * SECOND, staleAfterMs: 90 * SECOND };
  return [{ name: AGGREGATOR, pollers: [...pollers, estimations] }];
}

/** A scripted world that is recorded as it runs, and what was found in it. */
function recorded(rules: readonly Rule[], acting: Partial<ActingPolicy> = {}) {
  const live: Found[] = [];
  const world = scriptedWorld({ rules, acting });
  world.policy = { ...world.policy, aggregators: watching(ORDERS.slice(0, 2)) };
  const record = recordInMemory(() => world.policy.aggregators);
  const hear: World["onStep"] = (event, result) => {
    record.note(event, world.now, result);
    for (const finding of result.findings) {
      live.push({ at: world.now, finding: structuredClone(finding) });
    }
  };
  // The world has started before it can be listened to; it starts anew, at the same instant.
  world.onStep = hear;
  world.restarts();
  return { world, live, told: () => tellOf(record.pages(world.now)).told };
}

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
  const { state, steps } = replay({
    policy: policyOf(rules, options.acting ?? {}),
    record: told,
    landmarks: landmarksOf(told),
    ...(options.ticks === undefined ? {} : { ticks: options.ticks }),
    onFinding: (at, finding) => found.push({ at, finding: structuredClone(finding) }),
    onDivergence: (at, entity, why) => divergences.push({ at, entity, why }),
  });
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
const DOWN = rule({ alert: "PollerDown", kind: "poller", when: factIs("up", false) });
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

const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("passes" as const),
      seconds: fc.integer({ min: 1, max: 200 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant("sees" as const),
      disabled: fc.subarray(["A", "B", "C", "D"]),
      times: fc.integer({ min: 1, max: 25 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("pools" as const),
      base: fc.integer({ min: 5, max: 15 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("estimates" as const),
      estimate: fc.constantFrom(2, 4, undefined),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("orders" as const),
      stuck: fc.subarray(ORDERS),
      failed: fc.subarray(ORDERS, { maxLength: 2 }),
      piece: fc.integer({ min: 0, max: 3 }),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  fc.record({ what: fc.constant("watches" as const), orders: fc.subarray(ORDERS) }),
  fc.record({ what: fc.constant("reloads" as const), moved: fc.boolean() }),
  fc.record({ what: fc.constant("fails" as const) }),
  fc.record({ what: fc.constant("cut" as const) }),
  fc.record({ what: fc.constant("holds" as const), seconds: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ what: fc.constantFrom("kills" as const, "unkills" as const, "restarts" as const) }),
  { weight: 2, arbitrary: fc.record({ what: fc.constant("replies" as const) }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

/** Of what happens in the very millisecond of a tick, the record does not say which was first. */
function besideTicks(world: World): World {
  return (world.now - START) % SECOND === 0 ? world.passes("3ms") : world;
}

function seesPools(world: World, base: number): void {
  const pools = ["P", "Q"].map((id) => pool(id, id === "P" ? base : 50));
  const listed = pools.map((one) => ({ ...one, facts: { ...one.facts, quote: 7 } }));
  besideTicks(world.passes("1s")).sees("pools", listed);
}

/** A poll of all orders that are watched; with a piece, so many of them come before the others. */
function seesOrders(world: World, of: Extract<Happening, { readonly what: "orders" }>): void {
  const pollers = world.policy.aggregators[0]?.pollers ?? [];
  const watched = [...(pollers.find(({ name }) => name === "liquidations")?.surfaces ?? [])];
  const parts = (ids: readonly string[]) =>
    ids.map((id) => {
      const seen = [order(id, of.stuck.includes(id) ? "STUCK" : "CANCELED")];
      return partOf(id, world.now, of.failed.includes(id) ? "failed" : seen);
    });
  const poll = (ids: readonly string[], rest: Partial<Observation>): void => {
    const event = observed("liquidations", parts(ids));
    if (event.type !== "observed") throw new Error("an observation");
    world.tell({ type: "observed", observation: { ...event.observation, ...rest } });
  };
  if (of.piece === 0) return poll(watched, {});
  const first = watched.slice(-of.piece);
  const earlier = tallyOf(parts(first));
  poll(first, { ongoing: true });
  besideTicks(world.passes("300ms"));
  poll(watched.slice(0, -of.piece), { earlier });
}

function happen(world: World, one: Happening): void {
  const exchanges = (disabled: readonly string[]) =>
    ["A", "B", "C", "D"].map((id) => exchange(id, disabled.includes(id) ? "disabled" : "enabled"));
  besideTicks(world);
  switch (one.what) {
    case "passes":
      return void world.passes(`${one.seconds}s`);
    case "sees":
      for (let time = 0; time < one.times; time += 1) {
        besideTicks(world.passes("9s").passes("217ms")).sees("exchanges", exchanges(one.disabled));
      }
      return;
    case "pools":
      return seesPools(world, one.base);
    case "estimates":
      besideTicks(world.passes("700ms")).sees(
        "estimations",
        ["P", "Q"].map((name) => ({
          kind: "estimation",
          id: name,
          facts: {
            name,
            amount: 1,
            ...(one.estimate === undefined ? {} : { estimate: one.estimate }),
          },
        })),
      );
      // The listing of the pools itself is as it was.
      return seesPools(world.passes("1s"), 9);
    case "orders":
      for (let time = 0; time < one.times; time += 1)
        seesOrders(besideTicks(world.passes("8s")), one);
      return;
    case "watches":
      besideTicks(world.passes("50ms")).policy = {
        ...world.policy,
        aggregators: watching(one.orders),
      };
      return void world.tell({ type: "watch_changed", listed: [] });
    case "reloads": {
      const rulesBefore = ruleHashes(world.policy.rules);
      const moved = one.moved ? [AGGREGATOR] : [];
      besideTicks(world.passes("60ms")).tell({ type: "policy_changed", rulesBefore, moved });
      return;
    }
    case "fails":
      return void besideTicks(world.passes("400ms")).fails("exchanges");
    case "cut":
      return void world.reads("exchanges", exchanges(["A"]).slice(0, 2), { complete: false });
    case "holds":
      return void world.commands({
        name: "hold",
        scope: {},
        until: world.now + one.seconds * SECOND,
      });
    case "kills":
      return void world.commands({ name: "kill", source: "operator" });
    case "unkills":
      return void world.commands({ name: "unkill", source: "operator" });
    case "restarts":
      // A probe that never was answered is not in the record, and ticks count from the start.
      return void world.passes(`${2 * SECOND - ((world.now - START) % SECOND)}ms`).restarts("7s");
    case "replies":
      for (const id of world.state.unsettled.values()) {
        // There is one answer to each, and it comes to the process that sent it.
        const { answeredAt, requestedAt = 0 } = world.remediation(id) ?? {};
        const isOwn = requestedAt >= world.state.startedAt;
        if (answeredAt === undefined && isOwn) world.replies(id, "acknowledged");
      }
  }
}

/** A world to which much has happened. */
function eventful(
  happenings: readonly Happening[],
  rules: readonly Rule[],
  acting: Partial<ActingPolicy>,
) {
  const made = recorded(rules, acting);
  for (const one of happenings) happen(made.world, one);
  made.world.passes("200ms");
  return made;
}

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

  it("calls for one where its listing is cut, or complete again", () => {
    const { world, told } = recorded([DOWN]);
    for (let poll = 0; poll < 12; poll += 1) world.sees("exchanges", listed).passes("10s");
    for (const complete of [false, false, true, true]) {
      world.reads("exchanges", listed, { complete }).passes("10s");
    }
    const { found } = bothWays(told());
    expect(suppressions(found)).toEqual(["cooldown", "stale", "cooldown"]);
  });

  it("calls for one where the guards waited for a younger one", () => {
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

  it("is said to begin where these rules act and nothing was really sent", () => {
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

  it("is said to begin where really was sent what these rules would not have sent", () => {
    const { world, told } = recorded([DISABLED]);
    for (let poll = 0; poll < 4; poll += 1) world.sees("exchanges", bad).passes("10s");
    world.replies("r1", "acknowledged").sees("exchanges", good).passes("10s");
    const { divergences } = replayed(told(), [{ ...DISABLED, forMs: 10 * MINUTE }]);
    expect(divergences.map(({ entity, why }) => [entity, why])).toEqual([
      ["bsc/exchange/A", "not_sent"],
    ]);
  });

  it("does not begin where the record holds the very action and its answer", () => {
    const { world, told } = recorded([DISABLED]);
    for (let poll = 0; poll < 4; poll += 1) world.sees("exchanges", bad).passes("10s");
    world.becomes("exchanges", good).replies("r1", "acknowledged").passes("10s");
    const { divergences, found } = replayed(told(), [DISABLED]);
    expect(divergences).toEqual([]);
    expect(at(found, "verified")).toHaveLength(1);
  });
});
