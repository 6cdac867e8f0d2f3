import { readRuleFiles } from "../../src/io/process/files.ts";
import { MINUTE } from "../../src/domain/time.ts";
import type { Campaign } from "../../src/simulation/task.ts";

/** The shipped rules, varied: four minutes of trouble, and twelve of calm. */
export function shippedCampaign(change: Partial<Campaign["swarm"]> = {}): Campaign {
  const files = readRuleFiles("rules");
  if (!files.ok) throw new Error(files.problem);
  return {
    ruleFiles: files.value,
    swarm: { faultsFor: 4 * MINUTE, calmFor: 12 * MINUTE, ...change },
  };
}
