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
