/** Tests src/simulation/replicas: replica-stalls. */
import { expect, test } from "vitest";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { planOf } from "../../../src/simulation/swarm.ts";
import { createTaskRunner } from "../../../src/simulation/task.ts";
import { shippedCampaign } from "../campaign.ts";

const swarm = { faultsFor: 2 * MINUTE, calmFor: 3 * MINUTE, replicas: 2 };

test("A pause that still waits for an action when all faults end does not happen, and none is told", async () => {
  const made = planOf(1, swarm);
  const [member] = made.fleet;
  const aggregator = member?.watched.name ?? "";
  const exchange = member?.world.exchanges?.[0]?.name;
  const [{ acting, ...variant }] = made.variants;
  const inForce = { mode: "act", maxAgeMs: 30 * SECOND, confirmWithinMs: 15 * SECOND } as const;
  const at = 2 * MINUTE - SECOND;
  const { narration } = await createTaskRunner(shippedCampaign(swarm))({
    withNarration: true,
    of: {
      plan: {
        ...made,
        variants: [{ ...variant, acting: { ...acting, ...inForce }, rules: { pace: 0.1 } }],
        events: [
          { at, do: "stall_at_action", length: 20 * SECOND, asleep: false },
          { at, do: "control", aggregator, command: { do: "disable_exchange", exchange } },
        ],
      },
    },
  });
  const all = narration.map(({ text }) => text);
  const after = all.slice(all.indexOf("all faults end"));
  expect(after.some((text) => text.includes("applies enable_exchange"))).toBe(true);
  expect(after.filter((text) => text.includes("pauses"))).toEqual([]);
});
