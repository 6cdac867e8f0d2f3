import { afterAll, expect, test } from "vitest";
import { createPool, type Pool } from "../../src/simulation/pool.ts";
import type { Outcome } from "../../src/simulation/outcome.ts";
import { shippedCampaign } from "./campaign.ts";

/** For both tests, as a worker is slow at first. */
const two = createPool(shippedCampaign(), 2);
const one = createPool(shippedCampaign(), 1);
afterAll(async () => void (await Promise.all([two.close(), one.close()])));

function runAll(pool: Pool, seeds: readonly number[]): Array<Promise<Outcome>> {
  return seeds.map((seed) => pool.run({ of: { seed } }));
}

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);
/** In parts, as each test waits for its own seeds only: all of them take minutes. */
const PARTS = Array.from({ length: 5 }, (_, part) => SEEDS.slice(part * 40, (part + 1) * 40));
/** All tests look at these, so each seed is run once on these workers. */
const runs = runAll(two, SEEDS);

test("The same seed gives the same run, byte for byte, on one worker and on two", async () => {
  const seeds = SEEDS.slice(0, 6);
  const again = await Promise.all(runAll(one, seeds.toReversed()));
  const once = await Promise.all(runs.slice(0, seeds.length));
  expect(again.toReversed().map(({ hash }) => hash)).toStrictEqual(once.map(({ hash }) => hash));
  expect(new Set(once.map(({ hash }) => hash)).size).toBe(seeds.length);
});

test.each(PARTS)("No seed from %i on violates an invariant", async (...seeds) => {
  const outcomes = await Promise.all(seeds.map((seed) => runs[SEEDS.indexOf(seed)]));
  const violated = outcomes.flatMap((outcome) => {
    const [first] = outcome?.violations ?? [];
    return first && [`seed ${outcome?.seed}: ${first.invariant}: ${first.text}`];
  });
  expect(violated).toStrictEqual([]);
});
