import { afterAll, expect, test } from "vitest";
import { createPool, type Pool } from "../../src/simulation/pool.ts";
import type { Outcome } from "../../src/simulation/outcome.ts";
import { shippedCampaign } from "./campaign.ts";

/** For both tests, as a worker is slow at first. */
const two = createPool(shippedCampaign(), 2);
const one = createPool(shippedCampaign(), 1);
afterAll(async () => void (await Promise.all([two.close(), one.close()])));

async function runAll(pool: Pool, seeds: readonly number[]): Promise<Outcome[]> {
  return await Promise.all(seeds.map((seed) => pool.run({ of: { seed } })));
}

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);
/** Both tests look at these, so each seed is run once on these workers. */
const runs = runAll(two, SEEDS);

test("The same seed gives the same run, byte for byte, on one worker and on two", async () => {
  const seeds = SEEDS.slice(0, 6);
  const again = await runAll(one, seeds.toReversed());
  const once = (await runs).slice(0, seeds.length);
  expect(again.toReversed().map(({ hash }) => hash)).toStrictEqual(once.map(({ hash }) => hash));
  expect(new Set(once.map(({ hash }) => hash)).size).toBe(seeds.length);
}, 600_000);

test("No seed of some hundreds violates an invariant", async () => {
  const violated = (await runs).flatMap(({ seed, violations: [first] }) =>
    first === undefined ? [] : [`seed ${seed}: ${first.invariant}: ${first.text}`],
  );
  expect(violated).toStrictEqual([]);
}, 600_000);
