import { afterEach, expect, test } from "vitest";
import { createPool, type Pool } from "../../src/simulation/pool.ts";
import type { Outcome } from "../../src/simulation/outcome.ts";
import { shippedCampaign } from "./campaign.ts";

const pools: Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function open(workers: number): Pool {
  const pool = createPool(shippedCampaign(), workers);
  pools.push(pool);
  return pool;
}

async function runAll(pool: Pool, seeds: readonly number[]): Promise<Outcome[]> {
  return await Promise.all(seeds.map((seed) => pool.run({ of: { seed } })));
}

test("The same seed gives the same run, byte for byte, on one worker and on two", async () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const once = await runAll(open(1), seeds);
  const again = await runAll(open(2), seeds.toReversed());
  expect(again.toReversed().map(({ hash }) => hash)).toStrictEqual(once.map(({ hash }) => hash));
  expect(new Set(once.map(({ hash }) => hash)).size).toBe(seeds.length);
});

test("No seed of some hundreds violates an invariant", async () => {
  const seeds = Array.from({ length: 200 }, (_, index) => index + 1);
  const outcomes = await runAll(open(2), seeds);
  const violated = outcomes.flatMap(({ seed, violations: [first] }) =>
    first === undefined ? [] : [`seed ${seed}: ${first.invariant}: ${first.text}`],
  );
  expect(violated).toStrictEqual([]);
}, 600_000);
