/** Tests src/simulation/run.ts: what is left of a run in memory. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { MINUTE } from "../../src/domain/time.ts";
import { planOf } from "../../src/simulation/swarm.ts";
import { createTaskRunner } from "../../src/simulation/task.ts";
import { shippedCampaign } from "./campaign.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Runs a plan in which processes are killed, and gives what notices if it is still in memory: its world holds it. */
async function run(replicas: number | undefined): Promise<WeakRef<object>> {
  const swarm = { faultsFor: 2 * MINUTE, calmFor: MINUTE, replicas };
  const plan = {
    ...planOf(1, swarm),
    events: [30, 60, 90].map((at) => ({
      at: at * 1_000,
      do: "crash" as const,
      boundary: "now" as const,
      downFor: 1_000,
      variant: 0,
    })),
  };
  const { tally } = await createTaskRunner(shippedCampaign(swarm))({ of: { plan } });
  expect(tally.crashes).toBe(3);
  return new WeakRef(plan);
}

test.each([
  ["one process", undefined],
  ["two replicas", 2],
])("A run of %s is not kept in memory", async (_, replicas) => {
  const plan = await run(replicas);
  // What native code holds is found unused only in the collection after the one that found its users unused.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  expect(plan.deref()).toBeUndefined();
});
