import { expect, it } from "vitest";
import { MINUTE } from "../../../src/domain/time.ts";
import { planOf } from "../../../src/simulation/swarm.ts";

/** What would change what a scenario says of its aggregator. */
const OF_AGGREGATORS = new Set([
  "adversary",
  "disable_exchange",
  "disable_pair",
  "drain_pool",
  "enable_exchange",
  "flap",
  "freeze_order",
  "start_swap",
]);

/** What happens to aggregators in the plans of some seeds, by name. */
function happenings(hasScenario: boolean): ReadonlySet<string> {
  const swarm = { faultsFor: 30 * MINUTE, calmFor: 10 * MINUTE, hasScenario };
  const seeds = Array.from({ length: 40 }, (_, index) => index + 1);
  const events = seeds.flatMap((seed) => planOf(seed, swarm).events);
  const names = events.map((event) => (event.do === "control" ? event.command.do : event.do));
  return new Set(names.filter((name) => OF_AGGREGATORS.has(name)));
}

it("a scenario takes the place of all random faults of aggregators, the rare ones too", () => {
  expect(happenings(false)).toEqual(OF_AGGREGATORS);
  expect([...happenings(true)]).toEqual([]);
});

/** The paths of all numbers that are no whole ones. Those of 1 or less are shares. */
function fractions(value: unknown, path: string): string[] {
  if (typeof value === "number") return value <= 1 || Number.isInteger(value) ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => fractions(inner, `${path}.${key}`));
}

it("every instant and length of a plan is a whole number of milliseconds", () => {
  const swarm = { faultsFor: 30 * MINUTE, calmFor: 10 * MINUTE, replicas: 2, shards: 2 };
  const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
  const found = seeds
    .flatMap((seed) => planOf(seed, swarm).events)
    .flatMap((event) => fractions(event, event.do));
  expect([...new Set(found)]).toStrictEqual([]);
});
