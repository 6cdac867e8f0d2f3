import { isSettled } from "../../domain/remediation.ts";
import { judges } from "../judge/verdict.ts";
import { modeOf, type GuardContext } from "./guards/guard.ts";
import { held } from "./guards/held.ts";
import { killed } from "./guards/killed.ts";
import { shadow } from "./guards/shadow.ts";

/**
 * Why a remediation that was requested must not be sent any more; undefined if it may. Its commit, its turn and its
 * connection take time, in which operators may stop it: they have been answered that no action is sent.
 */
export function stoppedBy(
  known: Pick<GuardContext, "policy" | "state" | "at">,
  id: string,
): string | undefined {
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
  if (approvals >= act.approvals || modeOf({ ...known, act }) === "act") return undefined;
  return "mode is propose, and it was not approved by all that the rule asks for";
}
