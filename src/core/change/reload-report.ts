import type { ActionName } from "../../domain/action.ts";
import { entityKey } from "../../domain/entity.ts";
import type { SuppressionReason } from "../../domain/guard.ts";
import type {
  AlertChange,
  Event,
  Finding,
  Policy,
  RuleChanges,
  StepResult,
} from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import { ruleHashes } from "./reload.ts";
import { copyState, type State } from "../state.ts";
import { step } from "../step.ts";

/** What changed rules and settings do, or would do, at once. Alerts that are then pending fire later. */
export type ReloadReport = {
  readonly rules: RuleChanges;
  readonly alerts: readonly AlertMove[];
  readonly actions: readonly WantedAction[];
  /** Entities that are not watched any more. */
  readonly entitiesEnded: number;
};

type AlertMove = {
  readonly alertname: string;
  readonly entity: string;
  readonly change: Extract<AlertChange, "pending" | "firing" | "resolved" | "dropped">;
  readonly detail: string;
};

/** `confirming`: no guard objects; it is sent if the reading right before it still shows it bad. */
type WantedAction = {
  readonly action: ActionName;
  readonly alertname: string;
  readonly entity: string;
} & (
  | { readonly outcome: "confirming" }
  | { readonly outcome: "suppressed"; readonly reason: SuppressionReason; readonly detail: string }
);

/**
 * Takes the same step as a reload on a copy of the state, after the events `first`, as the reload does: the state is not
 * changed, and no effect is run. Costs a copy of all that is remembered.
 */
export function previewPolicy(
  before: Policy,
  after: Policy,
  state: State,
  moved: readonly string[],
  at: Instant,
  first: readonly Event[] = [],
): ReloadReport {
  const copy = copyState(state);
  for (const event of first) step(before, copy, event, at);
  const rulesBefore = ruleHashes(before.rules);
  const result = step(after, copy, { type: "policy_changed", rulesBefore, moved }, at);
  return reportOf(after, copy, result);
}

/** What the step that applied a policy did, from its result and the state right after it. */
export function reportOf(policy: Policy, state: State, result: StepResult): ReloadReport {
  const { findings } = result;
  const rules = findings.find((finding) => finding.type === "policy");
  return {
    rules: {
      added: rules?.added ?? [],
      removed: rules?.removed ?? [],
      changed: rules?.changed ?? [],
    },
    alerts: findings.flatMap((finding) => (finding.type === "alert" ? moveOf(finding) : [])),
    actions: [
      ...confirming(policy, state, result),
      ...findings.flatMap((finding) =>
        finding.type === "suppressed" ? [suppressedOf(state, finding)] : [],
      ),
    ],
    entitiesEnded: findings.filter(
      (finding) => finding.type === "entity" && finding.change === "gone",
    ).length,
  };
}

function moveOf({ change, alert, detail }: Extract<Finding, { type: "alert" }>): AlertMove[] {
  if (change === "unknown" || change === "known") return [];
  return [{ alertname: alert.rule, entity: entityKey(alert.entity), change, detail }];
}

function suppressedOf(
  state: State,
  { action, alert, entity, reason, detail }: Extract<Finding, { type: "suppressed" }>,
): WantedAction {
  const alertname = state.tables.alert.get(alert)?.rule ?? "";
  return { action, alertname, entity: entityKey(entity), outcome: "suppressed", reason, detail };
}

/** The alerts for which this step requested the reading right before an action. */
function* confirming(policy: Policy, state: State, result: StepResult): Generator<WantedAction> {
  const asked = new Set(
    result.effects.flatMap((effect) =>
      effect.type === "probe" && effect.why === "confirm"
        ? [`${effect.aggregator}/${effect.poller}/${effect.surface}`]
        : [],
    ),
  );
  for (const [key, { requestedAt, surface }] of state.confirming) {
    const alert = state.tables.alert.get(key);
    const action = policy.rules.get(alert?.rule ?? "")?.act?.action;
    if (alert === undefined || action === undefined) continue;
    if (requestedAt !== state.at || !asked.has(surface)) continue;
    const entity = entityKey(alert.entity);
    yield { action, alertname: alert.rule, entity, outcome: "confirming" };
  }
}
