import { isSettled } from "../../domain/remediation.ts";
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
  const { rule: alert, parent, approvedBy } = remediation;
  const act = known.policy.rules.get(alert)?.act;
  if (act === undefined) return `the rule ${alert} does not act any more`;
  const entity = { ...remediation.entity, ...(parent === undefined ? {} : { parent }) };
  for (const { ask } of [killed, held, shadow]) {
    const { objects, say } = ask({ ...known, act, rule: { alert }, entity });
    if (objects) return say();
  }
  if (approvedBy !== undefined || modeOf({ ...known, act }) === "act") return undefined;
  return "mode is propose, and it was not approved";
}
