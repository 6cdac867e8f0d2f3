import type { Alert } from "../../domain/alert.ts";
import type { Announcement, EndedProposal, Proposal } from "../../domain/remediation.ts";
import { MINUTE } from "../../domain/time.ts";
import { nextNumber, put, remove, touch, type Draft } from "../draft.ts";
import { unsureAbout } from "../observe/doubt.ts";
import type { GuardContext } from "./guards/guard.ts";
import { changesSince, digestOf, shownOf } from "./shown.ts";

/** How many earlier proposals the one that replaced them remembers. */
const MOST_FORMER = 20;

/** A remediation that waits for a person: one for each run of an alert, until it expires or is withdrawn. */
export function propose(draft: Draft, context: GuardContext): void {
  const { alert, rule, act } = context;
  const known = draft.state.tables.proposal.get(alert.key);
  const before = known?.alertStartedAt === alert.startedAt ? known : undefined;
  if (before !== undefined && before.withdrawn === undefined) {
    if (before.denial !== undefined || before.expiresAt > draft.at) return;
  }
  const shown = shownOf(context);
  // If a fact is missing, the guard `stale` has already objected.
  if (shown === undefined) return;
  const about = { rule: rule.alert, action: act.action, entity: alert.entity };
  const because = before?.withdrawn && `${before.id} was withdrawn: ${before.withdrawn.why}`;
  const proposal: Proposal = {
    id: `p${nextNumber(draft, "proposal")}`,
    alert: alert.key,
    alertStartedAt: alert.startedAt,
    ...about,
    shown,
    digest: digestOf(about, shown),
    proposedAt: draft.at,
    expiresAt: draft.at + draft.policy.acting.approvalExpiresAfterMs,
    approvals: [],
    former: before === undefined ? [] : [before.id, ...before.former].slice(0, MOST_FORMER),
    ...(because === undefined ? {} : { because }),
    announcement: announcementAfter(draft, before),
  };
  put(draft, "proposal", alert.key, proposal);
  const waits = `waits for a person to approve ${act.action}`;
  note(draft, "proposed", proposal, because === undefined ? waits : `${waits}; ${because}`);
}

/** Facts that keep changing do not notify people each time: the pauses double, up to about an hour. */
function announcementAfter({ at }: Draft, before: Proposal | undefined): Announcement {
  if (before === undefined) return { dueAt: at, times: 0, isDone: false };
  const { times, lastAt = at, told } = before.announcement;
  const pauseMs =
    before.withdrawn === undefined || times < 2 ? 0 : MINUTE * 2 ** Math.min(times - 2, 6);
  const dueAt = Math.max(at, lastAt + pauseMs);
  return { dueAt, times, lastAt, isDone: false, ...(told && { told }) };
}

/** Withdraws the proposal of an alert if a sure reading, or a changed rule, shows that it is outdated. */
export function withdrawIfChanged(draft: Draft, context: GuardContext): void {
  const { alert, act, entity, policy, state, verdict } = context;
  const proposal = draft.state.tables.proposal.get(alert.key);
  if (proposal === undefined || proposal.alertStartedAt !== alert.startedAt) return;
  if (proposal.withdrawn !== undefined) return;
  // A denial of the same action stands, whatever the facts are.
  if (proposal.denial !== undefined && proposal.action === act.action) return;
  if (verdict.truth !== "bad") return;
  if (unsureAbout(state, entity) !== undefined) return;
  const shown = shownOf(context);
  if (shown === undefined) return;
  const changes = changesSince(policy.kinds.get(entity.kind), proposal.shown, shown);
  if (changes.length > 0) withdraw(draft, alert.key, sayChanges(changes));
}

const MOST_CHANGES = 5;

function sayChanges(changes: readonly string[]): string {
  const more = changes.length - MOST_CHANGES;
  const said = changes.slice(0, MOST_CHANGES).join("; ");
  return more > 0 ? `${said}; and ${more} more` : said;
}

/** It can no longer be approved, and approvals that it already has are void. */
export function withdraw(draft: Draft, key: string, why: string): void {
  const proposal = draft.state.tables.proposal.get(key);
  if (proposal === undefined || proposal.withdrawn !== undefined) return;
  proposal.withdrawn = { at: draft.at, why };
  proposal.approvals = [];
  delete proposal.denial;
  touch(draft, "proposal", key);
  note(draft, "withdrawn", proposal, why);
}

/**
 * Ends proposals that have expired, whose alert no longer fires, or whose rule does not act. A denial stands until its
 * alert is resolved, so that no reload in between makes the action be proposed again, or sent.
 */
export function endProposals(draft: Draft): void {
  const { tables } = draft.state;
  for (const [key, proposal] of tables.proposal) {
    const alert = tables.alert.get(key);
    const state = alert?.startedAt === proposal.alertStartedAt ? alert.state : "resolved";
    if (proposal.denial !== undefined) {
      if (state === "resolved") remove(draft, "proposal", key);
      continue;
    }
    const end = endOf(draft, proposal, state);
    if (end === undefined) continue;
    remove(draft, "proposal", key);
    draft.endedProposals.push({ proposal, ...end });
  }
}

/** Undefined while it stands. */
function endOf(
  { at, policy }: Draft,
  { rule, expiresAt }: Proposal,
  state: Alert["state"],
): Omit<EndedProposal, "proposal"> | undefined {
  if (state !== "firing")
    return { word: "withdrawn", why: "was withdrawn: its alert no longer fires", withAlert: true };
  if (policy.rules.get(rule)?.act === undefined)
    return { word: "withdrawn", why: "was withdrawn: its rule does not act any more" };
  if (expiresAt > at) return undefined;
  return { word: "expired", why: "has expired, and nothing was sent" };
}

function note(
  draft: Draft,
  type: "proposed" | "withdrawn",
  { id: proposal, digest, rule, entity, action }: Proposal,
  detail: string,
): void {
  draft.findings.push({ type, proposal, digest, rule, entity, action, detail });
}
