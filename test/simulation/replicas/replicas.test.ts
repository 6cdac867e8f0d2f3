/** Tests src/simulation/replicas: two and three replicas on one database. */
import { afterEach, expect, test } from "vitest";
import { createPool, type Pool } from "../../../src/simulation/pool.ts";
import { shippedCampaign } from "../campaign.ts";

const pools: Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function open(replicas: number, workers: number, shards?: number): Pool {
  const pool = createPool(shippedCampaign({ replicas, shards }), workers);
  pools.push(pool);
  return pool;
}

test("The same seed gives the same run of replicas, on one worker and on two", async () => {
  const hashes = async (workers: number): Promise<string[]> => {
    const pool = open(2, workers);
    const runs = [1, 2, 3].map(async (seed) => (await pool.run({ of: { seed } })).hash);
    return await Promise.all(runs);
  };
  expect(await hashes(2)).toStrictEqual(await hashes(1));
});

test.each([2, 3])(
  "With %i replicas, no seed of a few violates an invariant",
  async (replicas) => {
    const pool = open(replicas, 2);
    const seeds = Array.from({ length: 12 }, (_, index) => 10 * replicas + index);
    const outcomes = await Promise.all(seeds.map((seed) => pool.run({ of: { seed } })));
    const violated = outcomes.flatMap(({ seed, violations: [first] }) =>
      first === undefined ? [] : [`seed ${seed}: ${first.invariant}: ${first.text}`],
    );
    expect(violated).toStrictEqual([]);
    // They do what is looked at: they take over, and act.
    const takeOvers = outcomes.reduce((sum, { tally }) => sum + tally.crashes, 0);
    const acts = outcomes.flatMap(({ tally }) => Object.keys(tally.actions));
    expect(takeOvers).toBeGreaterThan(replicas);
    expect(acts.filter((act) => act.endsWith("acknowledged")).length).toBeGreaterThan(2);
  },
  300_000,
);

test("Units of senders move between replicas, and no seed of a few violates an invariant", async () => {
  const pool = open(2, 2, 3);
  const seeds = [1, 2, 3, 4];
  const outcomes = await Promise.all(
    seeds.map((seed) => pool.run({ of: { seed }, withNarration: true })),
  );
  expect(outcomes.flatMap(({ violations }) => violations)).toStrictEqual([]);
  const told = outcomes.flatMap(({ narration }) => narration.map(({ text }) => text));
  const moved = told.filter((text) => /is the owner of senders\/\d, in epoch (?!1$)/.test(text));
  expect(moved.length).toBeGreaterThan(seeds.length);
}, 300_000);
