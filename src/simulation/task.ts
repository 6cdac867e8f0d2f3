import { actionsByName } from "../actions/index.ts";
import { compileRuleSet, enabledRules } from "../config/rules/rules.ts";
import type { NamedText } from "../io/process/files.ts";
import { kinds } from "../pollers/kinds.ts";
import { parseScenario } from "../simulator/control/scenario.ts";
import type { Plan } from "./plan.ts";
import type { Outcome, RunOptions } from "./outcome.ts";
import { runPlan } from "./run.ts";
import { planOf, type SwarmOptions } from "./swarm.ts";

/** The options that all runs of one call share; plain data, so that they can be sent to a worker. */
export type Campaign = {
  /** Rules that are known to compile. */
  readonly ruleFiles: readonly NamedText[];
  readonly swarm: SwarmOptions;
  /** A scenario that is known to be valid. */
  readonly scenario?: NamedText | undefined;
};

/** One run of a campaign: from a seed, or from a plan that was made from one. */
export type Task = {
  readonly of: { readonly seed: number } | { readonly plan: Plan };
  readonly withNarration?: boolean;
  readonly endsAtViolation?: boolean;
};

/** Makes a function that runs tasks in this thread, one at a time. */
export function createTaskRunner(campaign: Campaign): (task: Task) => Promise<Outcome> {
  const { compiled } = compileRuleSet({
    files: campaign.ruleFiles,
    kinds,
    actions: actionsByName,
  });
  const rules = enabledRules(compiled);
  const common: RunOptions = { rules, scenario: scenarioOf(campaign) };
  return async ({ of, ...options }) => {
    const plan = "plan" in of ? of.plan : planOf(of.seed, campaign.swarm);
    return await runPlan(plan, { ...common, ...options });
  };
}

function scenarioOf({ scenario }: Campaign): RunOptions["scenario"] {
  if (scenario === undefined) return undefined;
  const parsed = parseScenario(scenario.text, scenario.name);
  return parsed.ok ? parsed.value : undefined;
}
