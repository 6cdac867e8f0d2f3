/** Tests src/simulation/replicas: two and three replicas on one database. */
import { afterAll, expect, test } from "vitest";
import { createPool, type Pool } from "../../../src/simulation/pool.ts";
import type { Outcome } from "../../../src/simulation/outcome.ts";
import { planOf } from "../../../src/simulation/swarm.ts";
import { shippedCampaign } from "../campaign.ts";

const campaign = shippedCampaign();
/** For all runs of this file, as a worker is slow at first. */
const two = createPool(campaign, 2);
const one = createPool(campaign, 1);
afterAll(async () => void (await Promise.all([two.close(), one.close()])));

type Many = { readonly replicas: number; readonly shards?: number; readonly isTold?: boolean };

async function runAll(
  pool: Pool,
  seeds: readonly number[],
  { isTold = false, ...many }: Many,
): Promise<Outcome[]> {
  const plans = seeds.map((seed) => planOf(seed, { ...campaign.swarm, ...many }));
  return await Promise.all(plans.map((plan) => pool.run({ of: { plan }, withNarration: isTold })));
}

test("The same seed gives the same run of replicas, on one worker and on two", async () => {
  const hashes = async (pool: Pool): Promise<string[]> =>
    (await runAll(pool, [1, 2, 3], { replicas: 2 })).map(({ hash }) => hash);
  expect(await hashes(two)).toStrictEqual(await hashes(one));
});

test.each([2, 3])(
  "With %i replicas, no seed of a few violates an invariant",
  async (replicas) => {
    const seeds = Array.from({ length: 12 }, (_, index) => 10 * replicas + index);
    const outcomes = await runAll(two, seeds, { replicas });
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
  const seeds = [1, 2, 3, 4];
  const outcomes = await runAll(two, seeds, { replicas: 2, shards: 3, isTold: true });
  expect(outcomes.flatMap(({ violations }) => violations)).toStrictEqual([]);
  const told = outcomes.flatMap(({ narration }) => narration.map(({ text }) => text));
  const moved = told.filter((text) => /is the owner of senders\/\d, in epoch (?!1$)/.test(text));
  expect(moved.length).toBeGreaterThan(seeds.length);
}, 300_000);
