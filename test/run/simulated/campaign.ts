import { readRuleFiles } from "../../../src/io/files.ts";
import { MINUTE } from "../../../src/domain/time.ts";
import type { Campaign } from "../../../src/run/simulated/task.ts";

/** The shipped rules, varied: five minutes of trouble, and a quarter of an hour of calm. */
export function shippedCampaign(change: Partial<Campaign["swarm"]> = {}): Campaign {
  const files = readRuleFiles("rules");
  if (!files.ok) throw new Error(files.problem);
  return {
    ruleFiles: files.value,
    swarm: { faultsFor: 5 * MINUTE, calmFor: 15 * MINUTE, ...change },
  };
}
