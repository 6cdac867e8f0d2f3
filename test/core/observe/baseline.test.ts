import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_DURATIONS, MOST_GROUPS, percentile } from "../../../src/core/observe/baseline.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import type { Rule } from "../../../src/domain/rule.ts";
import { HOUR, MINUTE } from "../../../src/domain/time.ts";
import { pastSwapKind, withUsual } from "../../../src/pollers/swap-history.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { ruleFile, rulesOf } from "../../config/rules/rule-text.ts";
import { AGGREGATOR, condition, rule } from "../fixtures.ts";
import { observed, partOf } from "../readings.ts";
import { scriptedWorld, START, type World } from "../world.ts";

const swap = (id: string, status: string, network = "BSC", created = START): SeenEntity => ({
  kind: pastSwapKind.kind,
  id,
  facts: {
    secret_hash: id,
    sender: "0xa",
    sender_alias: "desk-a",
    status,
    finished: status !== "ACTIVE",
    settled: status === "SETTLED",
    source_network: network,
    created,
  },
});

function watching(...rules: readonly Rule[]): World {
  const world = scriptedWorld({ rules });
  const [aggregator] = world.policy.aggregators;
  if (aggregator === undefined) throw new Error("no aggregator");
  const pollers = [{ name: "swap_history", intervalMs: MINUTE, staleAfterMs: 3 * MINUTE }];
  world.policy = { ...world.policy, kinds, aggregators: [{ ...aggregator, pollers }] };
  return world;
}

const route = (world: World, network = "BSC") =>
  world.state.tables.entity.get(`${AGGREGATOR}/swap_route/${network}`);
const rows = (world: World) => world.state.tables.baseline.size;

/** A swap is seen active, and settled a minute later. */
function learns(world: World): World {
  world.sees("swap_history", [swap("0x1", "ACTIVE")]).passes("1m");
  return world.sees("swap_history", [swap("0x1", "SETTLED")]);
}

const idle = rule({
  alert: "RouteIdle",
  kind: "swap_route",
  when: condition("idle for 1h", ({ last_finished: at }, now) => now - Number(at) > HOUR, true),
  annotations: {},
});

describe("a rule on what is usual", () => {
  it("is judged after a restart, though no swap of the route is finished", () => {
    const world = learns(watching(idle));
    world.restarts("1m").passes("2h");
    expect(world.alerts()).toEqual(["RouteIdle BSC firing"]);
  });

  it("keeps its alert known over a restart", () => {
    const world = learns(watching(idle)).passes("2h");
    world.restarts("1m");
    expect(world.alerts()).toEqual(["RouteIdle BSC firing"]);
  });

  it("may read its facts over a window", () => {
    const text = ruleFile(
      "alert: RouteSlow",
      "each: swap_route",
      "with: { most: { fact: longest, max: 10m } }",
      "when: swap_route.most >= 60.0",
      "annotations: {}",
    );
    const world = learns(watching(...rulesOf(text)));
    expect(route(world)?.windows).toBeDefined();
    expect(world.alerts()).toEqual(["RouteSlow BSC firing"]);
  });
});

describe("what is usual", () => {
  it("is learned from what was seen active and then settled, and from nothing else", () => {
    const world = watching();
    world.sees("swap_history", [
      swap("0x1", "ACTIVE"),
      swap("0x2", "ACTIVE"),
      swap("0x3", "SETTLED"),
      swap("0x4", "ODD"),
    ]);
    world.passes("1m");
    world.sees("swap_history", [
      swap("0x1", "SETTLED"),
      swap("0x2", "EXPIRED"),
      swap("0x3", "SETTLED"),
      swap("0x4", "SETTLED"),
    ]);
    expect(route(world)?.facts).toMatchObject({ finished: 1, p50: 60, p99: 60, longest: 60 });
  });

  it("is not learned over a gap, as it is not known when the swap ended", () => {
    const world = watching();
    world.sees("swap_history", [swap("0x1", "ACTIVE")]);
    world.fails("swap_history");
    world.passes("10m");
    world.sees("swap_history", [swap("0x1", "SETTLED")]);
    expect(route(world)).toBeUndefined();
  });

  it("outlives a restart, and stays known while the history cannot be read", () => {
    const world = watching();
    world.sees("swap_history", [swap("0x1", "ACTIVE"), swap("0x2", "ACTIVE")]);
    world.passes("30s");
    world.sees("swap_history", [swap("0x1", "SETTLED"), swap("0x2", "ACTIVE")]);
    world.restarts();
    world.fails("swap_history");
    expect(route(world)).toMatchObject({ facts: { finished: 1, p99: 30 } });
    expect(route(world)?.unknownSince).toBeUndefined();
    // It was settled while nobody watched: that says nothing.
    world.sees("swap_history", [swap("0x1", "SETTLED"), swap("0x2", "SETTLED")]);
    expect(route(world)?.facts["finished"]).toBe(1);
  });

  it("forgets the oldest, and takes in only so many groups", () => {
    const world = watching();
    for (let index = 0; index < MOST_DURATIONS + 5; index += 1) {
      const created = world.now;
      world.sees("swap_history", [swap(`0x${index}`, "ACTIVE", "BSC", created)]);
      world.passes(index < 5 ? "1m" : "1s");
      world.sees("swap_history", [swap(`0x${index}`, "SETTLED", "BSC", created)]);
    }
    expect(route(world)?.facts).toMatchObject({ finished: MOST_DURATIONS, longest: 1 });
    for (let index = 0; index < MOST_GROUPS + 5; index += 1) {
      world.sees("swap_history", [swap("0xff", "ACTIVE", `N${index}`)]);
      world.sees("swap_history", [swap("0xff", "SETTLED", `N${index}`)]);
    }
    expect(rows(world)).toBe(MOST_GROUPS);
  });

  it("takes in as many groups of each aggregator, and forgets those of one that is not watched", () => {
    const world = watching();
    const [bsc] = world.policy.aggregators;
    if (bsc === undefined) throw new Error("no aggregator");
    world.policy = { ...world.policy, aggregators: [{ ...bsc, name: "eth" }, bsc] };
    const sees = (aggregator: string, seen: SeenEntity): void => {
      const event = observed("swap_history", [partOf("all", world.now, [seen])]);
      if (event.type !== "observed") throw new Error("an observation");
      world.tell({ ...event, observation: { ...event.observation, aggregator } });
    };
    for (let index = 0; index <= MOST_GROUPS; index += 1) {
      sees("eth", swap("0x1", "ACTIVE", `N${index}`));
      sees("eth", swap("0x1", "SETTLED", `N${index}`));
    }
    expect(rows(world)).toBe(MOST_GROUPS);
    learns(world);
    expect(route(world)?.facts["finished"]).toBe(1);
    world.policy = { ...world.policy, aggregators: [bsc] };
    world.tell({ type: "policy_changed", rulesBefore: new Map(), moved: [] });
    expect([...world.state.tables.baseline.keys()]).toEqual([`${AGGREGATOR}/swap_route/BSC`]);
  });

  it("has percentiles that were really there, with no more above them than their share", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0 }), { minLength: 1, maxLength: 300 }),
        fc.constantFrom(0.5, 0.9, 0.99, 1),
        (values, share) => {
          const sorted = values.toSorted((one, other) => one - other);
          const found = percentile(sorted, share);
          expect(values).toContain(found);
          const above = values.filter((value) => value > found).length;
          expect(above).toBeLessThanOrEqual(values.length * (1 - share) + 1e-9);
        },
      ),
    );
  });

  it("tells a swap when it is slow, once enough is known", () => {
    const facts = { source_network: "BSC", created: 1_000 };
    const look = (finished: number) => ({
      one: () => ({ finished, p99: 41 }),
      all: () => [],
    });
    expect(withUsual(facts, look(20))).toEqual({ ...facts, usual_p99: 41, slow_after: 124_000 });
    expect(withUsual(facts, look(19))).toEqual(facts);
    expect(withUsual({ created: 1 }, look(20))).toEqual({ created: 1 });
  });
});
