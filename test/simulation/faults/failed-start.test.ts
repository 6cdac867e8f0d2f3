/** Tests src/simulation/machine/process-life.ts: a process that cannot open its journal, as the disk fails. */
import { afterAll, expect, it } from "vitest";
import { SECOND } from "../../../src/domain/time.ts";
import { createPool } from "../../../src/simulation/pool.ts";
import { planOf } from "../../../src/simulation/swarm.ts";
import { shippedCampaign } from "../campaign.ts";

const campaign = shippedCampaign();
const pool = createPool(campaign, 1);
afterAll(pool.close);

it("starts again until the disk works, if it died within a large commit", async () => {
  const plan = {
    ...planOf(1, campaign.swarm),
    events: [
      {
        at: 10 * SECOND,
        do: "crash",
        boundary: "commit_complete",
        downFor: 60 * SECOND,
        variant: 0,
      },
      { at: 50 * SECOND, do: "disk", fault: "write" },
      { at: 160 * SECOND, do: "disk", fault: "none" },
    ],
  } as const;
  const { violations, narration } = await pool.run({ of: { plan }, withNarration: true });
  const of = (what: RegExp): readonly number[] =>
    narration.flatMap(({ at, text }) => (what.test(text) ? [at / SECOND] : []));
  const [died = Infinity] = of(/^the process crashes: commit complete/);
  expect(died).toBeLessThan(50);
  const [, again = 0] = of(/^the process starts/);
  expect(again).toBeGreaterThan(160);
  expect(violations).toEqual([]);
});
