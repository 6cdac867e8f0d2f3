import type { CommandOutcome } from "../../domain/command.ts";
import type { Proposal } from "../../domain/remediation.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { nextNumber, put, remove, touch, type Draft } from "../draft.ts";
import type { GuardContext } from "./guards/guard.ts";

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
  put(draft, "proposal", alert.key, proposal);
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
    remove(draft, "proposal", key);
  }
}

/** Records an approval or a denial; if it cannot, the detail gives the reason. */
export function decide(
  draft: Draft,
  id: string,
  approved: boolean,
  by: string,
  reason: string,
): CommandOutcome {
  for (const [key, proposal] of draft.state.tables.proposal) {
    if (proposal.id !== id) continue;
    const needed = draft.policy.rules.get(proposal.rule)?.act?.approvals ?? 1;
    const problem = whyNot(proposal, { approved, by, at: draft.at, needed });
    if (problem !== undefined) return { accepted: false, detail: `${id} ${problem}` };
    const decision = { by, reason, at: draft.at };
    if (approved) proposal.approvals.push(decision);
    else proposal.denial = decision;
    touch(draft, "proposal", key);
    const what = `${approved ? "approved" : "denied"} ${proposal.action} of ${proposal.alert}`;
    const count = approved ? `: ${approvalsSaid(proposal, needed)}` : "";
    return { accepted: true, detail: `${what}${count}` };
  }
  const why = "it was never made, was used, has expired, or its alert has ended";
  return { accepted: false, detail: `no proposal ${id} waits: ${why}` };
}

function whyNot(
  { approvals, denial, expiresAt }: Proposal,
  asked: { approved: boolean; by: string; at: Instant; needed: number },
): string | undefined {
  // A denial is final for this run of the alert: after a change of mind, act by hand or wait for the next run.
  if (denial !== undefined) {
    return `was denied by ${denial.by} at ${formatInstant(denial.at)}, which stands while its alert lasts`;
  }
  if (expiresAt <= asked.at) return `has expired at ${formatInstant(expiresAt)}`;
  const own = approvals.find(({ by }) => by === asked.by);
  if (!asked.approved || own === undefined) return undefined;
  const said = approvalsSaid({ approvals }, asked.needed);
  return `was approved by ${asked.by} already, at ${formatInstant(own.at)}: ${said}`;
}

/** How many persons have approved, and how many more must. */
function approvalsSaid({ approvals }: Pick<Proposal, "approvals">, needed: number): string {
  const missing = needed - approvals.length;
  const count = `${approvals.length} of ${needed} approvals`;
  if (missing <= 0) return `${count}; it is sent once no other guard objects`;
  return `${count}; ${missing === 1 ? "another person" : `${missing} other persons`} must approve too`;
}
