import fc from "fast-check";
import { ruleHashes } from "../../src/core/change/reload.ts";
import { tallyOf, type Observation } from "../../src/domain/observation.ts";
import type { Rule } from "../../src/domain/rule.ts";
import type { ActingPolicy, Finding, Policy } from "../../src/domain/step.ts";
import { SECOND, type Instant } from "../../src/domain/time.ts";
import { AGGREGATOR, exchange, order, policyOf, pool } from "../core/fixtures.ts";
import { inForceOf, type InForce } from "../../src/io/api/past/in-force.ts";
import { observed, partOf } from "../core/readings.ts";
import { scriptedWorld, START, type World } from "../core/world.ts";
import { recordInMemory, tellOf } from "../record/in-memory.ts";

/** Worlds to which anything happens, and which are recorded as they run. */

export type Found = { readonly at: Instant; readonly finding: Finding };

const ORDERS = ["o1", "o2", "o3", "o4", "o5"];

/** The usual pollers, estimations as a unit has them, and of the liquidations just these. */
function watching(orders: readonly string[]): Policy["aggregators"] {
  const [usual] = policyOf([]).aggregators;
  const pollers = (usual?.pollers ?? []).map((poller) =>
    poller.name === "liquidations" ? { ...poller, surfaces: new Set(orders) } : poller,
  );
  const lasts = { intervalMs: 10 * SECOND, staleAfterMs: 90 * SECOND };
  const estimations = { name: "estimations", unit: 2, ...lasts };
  return [{ name: AGGREGATOR, pollers: [...pollers, estimations] }];
}

/** A scripted world that is recorded as it runs, and what was found in it. */
export function recorded(rules: readonly Rule[], acting: Partial<ActingPolicy> = {}) {
  const live: Found[] = [];
  const world = scriptedWorld({ rules, acting });
  world.policy = { ...world.policy, aggregators: watching(ORDERS.slice(0, 2)) };
  const inForce = (): InForce => inForceOf(world.policy, world.state);
  const record = recordInMemory(() => world.policy.aggregators, { inForce });
  const hear: World["onStep"] = (event, result) => {
    record.note(event, world.now, result);
    for (const finding of result.findings) {
      live.push({ at: world.now, finding: structuredClone(finding) });
    }
  };
  // The world has started before it can be listened to; it starts again, at the same instant.
  world.onStep = hear;
  world.restarts();
  const pages = () => record.pages(world.now);
  return { world, live, told: () => tellOf(pages()).told, pages };
}

export const happening = fc.oneof(
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
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("replies" as const),
      outcome: fc.constantFrom("acknowledged", "acknowledged", "in_doubt", "rejected", "unsent"),
    }),
  },
);
export type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

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
  poll(watched.slice(0, -of.piece), { earlier, durationMs: world.now - earlier.askedAt });
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
    case "replies": {
      // There is one answer to each, and it comes to the process that sent it, though it be settled by then.
      const open = [...world.state.unanswered.values()];
      for (const id of open) world.replies(id, one.outcome);
    }
  }
}

/** A world to which much has happened. */
export function eventful(
  happenings: readonly Happening[],
  rules: readonly Rule[],
  acting: Partial<ActingPolicy> = {},
  after: (world: World) => void = () => undefined,
) {
  const made = recorded(rules, acting);
  for (const one of happenings) {
    happen(made.world, one);
    after(made.world);
  }
  made.world.passes("200ms");
  return made;
}
