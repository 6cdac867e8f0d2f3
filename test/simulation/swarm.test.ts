import { afterAll, expect, test } from "vitest";
import { createPool, type Pool } from "../../src/simulation/pool.ts";
import type { Outcome } from "../../src/simulation/outcome.ts";
import { shippedCampaign } from "./campaign.ts";

/** For all tests, as a worker is slow at first. */
const two = createPool(shippedCampaign(), 2);
const one = createPool(shippedCampaign(), 1);
afterAll(async () => void (await Promise.all([two.close(), one.close()])));

function runAll(pool: Pool, seeds: readonly number[]): Array<Promise<Outcome>> {
  return seeds.map((seed) => pool.run({ of: { seed } }));
}

/** As each test waits for its own seeds only: all of them take minutes. */
const A_PART = 40;
const SEEDS = Array.from({ length: 5 * A_PART }, (_, index) => index + 1);
/** All tests look at these, so each seed is run once on these workers. */
const runs = runAll(two, SEEDS);

test("The same seed gives the same run, byte for byte, on one worker and on two", async () => {
  const seeds = SEEDS.slice(0, 6);
  const again = await Promise.all(runAll(one, seeds.toReversed()));
  const once = await Promise.all(runs.slice(0, seeds.length));
  expect(again.toReversed().map(({ hash }) => hash)).toStrictEqual(once.map(({ hash }) => hash));
  expect(new Set(once.map(({ hash }) => hash)).size).toBe(seeds.length);
});

test.each([0, 1, 2, 3, 4])("No seed of the part %i violates an invariant", async (part) => {
  const outcomes = await Promise.all(runs.slice(part * A_PART, (part + 1) * A_PART));
  expect(outcomes.map(({ seed }) => seed)).toContain((part + 1) * A_PART);
  const violated = outcomes.flatMap(({ seed, violations: [first] }) =>
    first === undefined ? [] : [`seed ${seed}: ${first.invariant}: ${first.text}`],
  );
  expect(violated).toStrictEqual([]);
});
