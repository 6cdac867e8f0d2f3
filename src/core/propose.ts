import type { Proposal } from "../domain/remediation.ts";
import { nextNumber, touch, type Draft } from "./draft.ts";
import type { GuardContext } from "./guards.ts";

/** A remediation that waits for a person: one for each run of an alert, until it expires. */
export function propose(draft: Draft, { alert, rule, act }: GuardContext): void {
  const { tables } = draft.state;
  const known = tables.proposal.get(alert.key);
  if (
    known !== undefined &&
    known.alertStartedAt === alert.startedAt &&
    (known.denial !== undefined || known.expiresAt > draft.at)
  ) {
    return;
  }
  const proposal: Proposal = {
    id: `p${nextNumber(draft, "proposal")}`,
    alert: alert.key,
    alertStartedAt: alert.startedAt,
    rule: rule.alert,
    action: act.action,
    entity: alert.entity,
    proposedAt: draft.at,
    expiresAt: draft.at + draft.policy.acting.approvalExpiresAfterMs,
    approvals: [],
  };
  tables.proposal.set(alert.key, proposal);
  touch(draft, "proposal", alert.key);
  draft.findings.push({
    type: "proposed",
    proposal: proposal.id,
    entity: alert.entity,
    action: act.action,
    detail: `waits for a person to approve ${act.action}`,
  });
}

/** Proposals end when they expire, and when their alert does not fire any more. */
export function endProposals(draft: Draft): void {
  const { tables } = draft.state;
  for (const [key, proposal] of tables.proposal) {
    const alert = tables.alert.get(key);
    const stands = alert?.state === "firing" && alert.startedAt === proposal.alertStartedAt;
    if (stands && (proposal.denial !== undefined || proposal.expiresAt > draft.at)) continue;
    tables.proposal.delete(key);
    touch(draft, "proposal", key);
  }
}

/** Gives what was decided; undefined where no such proposal stands, or its approver has spoken already. */
export function decide(
  draft: Draft,
  id: string,
  approved: boolean,
  by: string,
  reason: string,
): string | undefined {
  for (const [key, proposal] of draft.state.tables.proposal) {
    // A denial stands: who changes their mind acts by hand, or waits for the next run of the alert.
    if (proposal.id !== id || proposal.expiresAt <= draft.at || proposal.denial) continue;
    const decision = { by, reason, at: draft.at };
    if (!approved) proposal.denial = decision;
    else if (proposal.approvals.some((one) => one.by === by)) return undefined;
    else proposal.approvals.push(decision);
    touch(draft, "proposal", key);
    return `${approved ? "approved" : "denied"} ${proposal.action} of ${proposal.alert}`;
  }
  return undefined;
}
