/** Tests src/run/replica: one that is told to end hands over within a second, whatever it waits for. */
import { expect, test } from "vitest";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { RECEIVER } from "../../../src/simulation/machine/receiver.ts";
import type { NarratedEvent } from "../../../src/simulation/outcome.ts";
import type { Plan, ScheduledEvent } from "../../../src/simulation/plan.ts";
import { planOf } from "../../../src/simulation/swarm.ts";
import { createTaskRunner } from "../../../src/simulation/task.ts";
import { shippedCampaign } from "../campaign.ts";

const swarm = { faultsFor: 3 * MINUTE, calmFor: MINUTE, replicas: 2 };
const run = createTaskRunner(shippedCampaign(swarm));
const SLOW = { delay: { least: 2.5 * SECOND, most: 2.5 * SECOND } };

/** An exchange is disabled, and everything over there takes five seconds to answer. */
function planWith(more: readonly ScheduledEvent[]): Plan {
  const made = planOf(1, swarm);
  const [member] = made.fleet;
  const [{ acting, ...variant }] = made.variants;
  const aggregator = member?.watched.name ?? "";
  const exchange = member?.world.exchanges?.[0]?.name;
  const slow = (whose: string): ScheduledEvent => ({
    at: MINUTE,
    do: "network",
    aggregator: whose,
    faults: SLOW,
  });
  const command = { do: "disable_exchange", exchange };
  const inForce = { mode: "act", maxAgeMs: 30 * SECOND, confirmWithinMs: 15 * SECOND } as const;
  return {
    ...made,
    variants: [{ ...variant, acting: { ...acting, ...inForce }, rules: { pace: 0.1 } }],
    events: [
      slow(aggregator),
      slow(RECEIVER),
      { at: MINUTE + SECOND, do: "control", aggregator, command },
      ...more,
    ],
  };
}

async function told(plan: Plan): Promise<readonly NarratedEvent[]> {
  const { narration, violations } = await run({ of: { plan }, withNarration: true });
  expect(violations).toStrictEqual([]);
  return narration;
}

test("A handover takes less than a second, also while an action and a delivery wait for their answers", async () => {
  const sent = (await told(planWith([]))).find(({ text }) => text.includes("POST"));
  const at = (sent?.at ?? 0) + 100;
  const restart = { at, do: "restart", downFor: 30 * SECOND, variant: 0 } as const;
  const after = (await told(planWith([restart]))).filter((one) => one.at >= at);
  const doubt = after.find(({ text }) => text.includes("in_doubt: cancelled"));
  const taken = after.find(({ text }) => text.includes("is the owner, in epoch 2"));
  expect(doubt).toBeDefined();
  expect((taken?.at ?? Infinity) - at).toBeLessThan(SECOND);
  // The next owner sees what became of it, and does not send it again.
  expect(after.some(({ text }) => text.includes("verified"))).toBe(true);
  expect(after.filter(({ text }) => text.includes("POST"))).toStrictEqual([]);
});
