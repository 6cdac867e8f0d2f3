import type { AppliedCommand } from "../../domain/command.ts";
import { entityKey } from "../../domain/entity.ts";
import type { Decision, Proposal } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { touch, type Draft } from "../draft.ts";

/** What a person decides on a proposal. */
export type Asked = {
  readonly id: string;
  readonly approved: boolean;
  /** Of what was shown to the person; a denial needs none. */
  readonly digest: string | undefined;
  readonly by: string;
  readonly reason: string;
};

/**
 * Records an approval or a denial; if it cannot, the detail gives the reason, and the subject is the proposal that
 * stands now, if one does.
 */
export function decide(draft: Draft, asked: Asked): AppliedCommand {
  const { id, approved, by, reason } = asked;
  const proposals = [...draft.state.tables.proposal.values()];
  const successor = proposals.find(({ former }) => former.includes(id));
  // A denial is of the action, whatever is shown of it by now: otherwise, facts that keep changing could not be denied.
  const proposal = proposals.find((one) => one.id === id) ?? (approved ? undefined : successor);
  if (proposal === undefined) {
    return successor === undefined
      ? { subject: id, accepted: false, detail: `no proposal ${id} waits: ${NONE}` }
      : refused(successor, `no proposal ${id} waits: ${placeTaken(successor)}`);
  }
  const needed = approvalsNeeded(draft.policy, proposal);
  const problem = whyNot(proposal, asked, draft.at, needed);
  if (problem !== undefined) return refused(proposal, `${proposal.id} ${problem}`);
  const decision = { by, reason, at: draft.at };
  if (approved) proposal.approvals.push(decision);
  else proposal.denial = decision;
  if (!approved) noteDenied(draft, proposal, decision);
  touch(draft, "proposal", proposal.alert);
  const what = `${approved ? "approved" : "denied"} ${proposal.action} of ${proposal.alert}`;
  const now = proposal.id === id ? "" : `, which ${proposal.id} proposes by now`;
  const count = approved ? `: ${approvalsSaid(proposal, needed)}` : "";
  return { ...aboutOf(proposal), accepted: true, detail: `${what}${now}${count}` };
}

function noteDenied(draft: Draft, proposal: Proposal, { by, reason }: Decision): void {
  delete proposal.withdrawn;
  const why = `was denied by ${by}: ${reason}`;
  draft.endedProposals.push({ proposal, word: "denied", why });
}

const NONE = "it was never made, was used, has expired or was withdrawn, or its alert has ended";

/** What happened to an entity includes what people decided on its proposals. */
function aboutOf({ id, rule, entity }: Proposal): Omit<AppliedCommand, "accepted" | "detail"> {
  return { subject: id, rule, entity: entityKey(entity) };
}

function refused(proposal: Proposal, detail: string): AppliedCommand {
  return { ...aboutOf(proposal), accepted: false, detail };
}

function placeTaken({ id, digest, because }: Proposal): string {
  const why = because === undefined ? "" : ` (${because})`;
  return `${id} took its place${why}; look at it, and name its digest ${digest} to approve it`;
}

function whyNot(
  proposal: Proposal,
  { approved, digest, by }: Asked,
  at: Instant,
  needed: number,
): string | undefined {
  const { approvals, denial, expiresAt, withdrawn } = proposal;
  // A denial is final for this run of the alert: after a change of mind, act by hand or wait for the next run.
  if (denial !== undefined) {
    return `was denied by ${denial.by} at ${formatInstant(denial.at)}, which stands while its alert lasts`;
  }
  if (!approved) return undefined;
  if (withdrawn !== undefined) {
    return `was withdrawn at ${formatInstant(withdrawn.at)}: ${withdrawn.why}`;
  }
  if (expiresAt <= at) return `has expired at ${formatInstant(expiresAt)}`;
  if (digest !== proposal.digest) {
    const named = digest === undefined ? "without a digest" : `with the digest ${digest}`;
    return `cannot be approved ${named}: look at what it shows, and name its digest ${proposal.digest}`;
  }
  const own = approvals.find((one) => one.by === by);
  if (own === undefined) return undefined;
  const said = approvalsSaid({ approvals }, needed);
  return `was approved by ${by} already, at ${formatInstant(own.at)}: ${said}`;
}

/** How many persons have approved, and how many more must. */
function approvalsSaid({ approvals }: Pick<Proposal, "approvals">, needed: number): string {
  const missing = needed - approvals.length;
  const count = `${approvals.length} of ${needed} approvals`;
  if (missing <= 0) return `${count}; it is sent once no other guard objects`;
  return `${count}; ${missing === 1 ? "another person" : `${missing} other persons`} must approve too`;
}

/** How many persons have to approve a proposal. */
export function approvalsNeeded({ rules }: Policy, { rule }: Proposal): number {
  return rules.get(rule)?.act?.approvals ?? 1;
}
