import { entityKey } from "../../domain/entity.ts";
import { isSettled, type Remediation } from "../../domain/remediation.ts";
import { judges, verdictOf } from "../judge/verdict.ts";
import { modeOf, type GuardContext } from "./guards/guard.ts";
import { condition } from "./guards/condition.ts";
import { held } from "./guards/held.ts";
import { killed } from "./guards/killed.ts";
import { quarantined } from "./guards/quarantined.ts";
import { shadow } from "./guards/shadow.ts";
import { stale } from "./guards/stale.ts";
import { changesSince, shownOf } from "./shown.ts";
import { stormKey } from "./storm-count.ts";

type Known = Pick<GuardContext, "policy" | "state" | "at">;

/**
 * Why a remediation that was requested must not be sent any more; undefined if it may. Its commit, its turn and its
 * connection take time, in which operators may stop it: they have been answered that no action is sent. In that time,
 * readings may also show that it is not needed any more.
 */
export function stoppedBy(known: Known, id: string): string | undefined {
  const remediation = known.state.tables.remediation.get(id);
  if (remediation === undefined || isSettled(remediation))
    return `${id} was given up before it was sent`;
  const { rule: alert, action, parent, approvals = 0 } = remediation;
  const rule = known.policy.rules.get(alert);
  const act = rule?.act;
  if (act?.action !== action || rule === undefined)
    return `the rule ${alert} does not ${action} any more`;
  const { aggregator } = remediation.entity;
  if (!judges(rule, aggregator)) return `the rule ${alert} does not judge ${aggregator} any more`;
  const entity = { ...remediation.entity, ...(parent === undefined ? {} : { parent }) };
  for (const { ask } of [killed, held, shadow]) {
    const { objects, say } = ask({ ...known, act, rule: { alert }, entity });
    if (objects) return say();
  }
  if (approvals < act.approvals && modeOf({ ...known, act }) !== "act")
    return "mode is propose, and it was not approved by all that the rule asks for";
  return unneededBy({ ...known, rule, act }, remediation);
}

/** Whether what was read since then would still justify it, and is still what was approved. */
function unneededBy(
  known: Known & Pick<GuardContext, "rule" | "act">,
  remediation: Remediation,
): string | undefined {
  const { policy, state, at, rule } = known;
  const alert = state.tables.alert.get(remediation.alert);
  const entity = state.tables.entity.get(entityKey(remediation.entity));
  if (entity === undefined) return `${remediation.entity.id} is not there any more`;
  const fires = alert?.state === "firing" && alert.keepFiringSince === undefined;
  if (!fires || alert.startedAt !== remediation.alertStartedAt)
    return `${rule.alert} does not fire for it any more`;
  const context = { ...known, alert, entity, verdict: verdictOf(state, rule, entity, at) };
  for (const { ask } of [quarantined, stale, condition]) {
    const { objects, say } = ask(context);
    if (objects) return say();
  }
  const storm = state.tables.storm.get(stormKey(rule.alert, entity.aggregator));
  if (storm !== undefined && storm.clearedAt === undefined) return storm.detail;
  const shown = shownOf(context);
  const before = shownOf({
    ...context,
    entity: { ...entity, facts: remediation.justifiedBy.facts },
  });
  if (shown === undefined || before === undefined) return undefined;
  const { facts } = remediation.approvals === undefined ? shown : before;
  // One that no one approved may go by another rule, as long as that wants it, too.
  const { approvedRule = rule.hash, call } = remediation;
  const approved = { rule: approvedRule, call, facts };
  const changes = changesSince(policy.kinds.get(entity.kind), approved, shown);
  return changes.length === 0 ? undefined : `it has changed: ${changes.join("; ")}`;
}
