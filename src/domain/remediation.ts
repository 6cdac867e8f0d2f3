import type { ActionCall, ActionName } from "./action.ts";
import type { EntityId, Facts, Parent } from "./entity.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * One attempt to repair, tied to an alert.
 *
 * - `requested`: committed to the journal; the request may or may not have left yet.
 * - `acknowledged`: the aggregator answered with a success, which alone proves nothing.
 * - `in_doubt`: no answer, one that leaves it open, or a crash in between. Never sent again; only a reading settles it.
 * - `verified`: a reading that was requested afterwards shows the aim reached.
 * - `unverified`: `verify_within` ran out before that.
 * - `rejected`: the aggregator refused, or it was never sent.
 */
export const REMEDIATION_STATES = [
  "requested",
  "acknowledged",
  "in_doubt",
  "verified",
  "unverified",
  "rejected",
] as const;
export type RemediationState = (typeof REMEDIATION_STATES)[number];

/** The states in which a remediation ends. */
export const SETTLED_STATES = ["verified", "unverified", "rejected"] as const;
export type SettledState = (typeof SETTLED_STATES)[number];
const SETTLED: ReadonlySet<RemediationState> = new Set(SETTLED_STATES);

export function isSettled<Of extends { readonly state: RemediationState }>(
  remediation: Of,
): remediation is Of & { readonly state: SettledState } {
  return SETTLED.has(remediation.state);
}

export type Remediation = {
  readonly id: string;
  readonly rule: string;
  readonly alert: string;
  readonly alertStartedAt: Instant;
  readonly action: ActionName;
  readonly call: ActionCall;
  readonly entity: EntityId;
  /** The entity's when it was requested. */
  readonly parent?: Parent;
  readonly surface: string;
  state: RemediationState;
  readonly requestedAt: Instant;
  answeredAt?: Instant;
  readonly verifyWithinMs: Millis;
  /** When it is given up as `unverified`. */
  settleBy: Instant;
  settledAt?: Instant;
  lastProbeAt?: Instant;
  detail: string;
  /** The reading that confirmed it right before it was sent. */
  readonly justifiedBy: { readonly askedAt: Instant; readonly facts: Facts };
  readonly approvedBy?: string;
  /** How many approved it. */
  readonly approvals?: number;
  /** The hash of the rule as they were shown it. */
  readonly approvedRule?: string;
  /** It was held back before it was sent: it uses no attempt and no budget. */
  unsent?: true;
};

/** The ids of the remediations that are not settled, by the key of their alert, which has one at most. */
export function openByAlert(
  remediations: Iterable<Readonly<Remediation>>,
): ReadonlyMap<string, string> {
  const open = new Map<string, string>();
  for (const { alert, id, state } of remediations) if (!isSettled({ state })) open.set(alert, id);
  return open;
}

/** What a person is shown and approves: the rule, the request, and the facts that either depends on. */
export type Shown = {
  /** The rule's hash. */
  readonly rule: string;
  readonly call: ActionCall;
  readonly facts: Facts;
};

/** A remediation that waits for a person. What it shows never changes: a new proposal replaces it instead. */
export type Proposal = {
  readonly id: string;
  readonly alert: string;
  readonly alertStartedAt: Instant;
  readonly rule: string;
  readonly action: ActionName;
  readonly entity: EntityId;
  readonly shown: Shown;
  /** The digest of all that is shown. An approval names it. */
  readonly digest: string;
  readonly proposedAt: Instant;
  readonly expiresAt: Instant;
  /** Each by a different person. */
  approvals: Decision[];
  /** It stays denied while this run of the alert lasts. */
  denial?: Decision;
  /** What was shown has changed since, so it can no longer be approved. */
  withdrawn?: { readonly at: Instant; readonly why: string };
  /** The proposals that it replaced in this run of the alert, newest first, and why it replaced the newest. */
  readonly former: readonly string[];
  readonly because?: string;
  readonly announcement: Announcement;
};

/** When people are notified of a proposal. */
export type Announcement = {
  readonly dueAt: Instant;
  /** How often proposals of this run of the alert were announced, and when the last time was. */
  times: number;
  lastAt?: Instant;
  isDone: boolean;
  /** The channels whose receivers accepted one of them, and so get its end. */
  told?: readonly string[];
};

/** A proposal for which no decision is awaited any more. */
export type EndedProposal = {
  readonly proposal: Readonly<Proposal>;
  readonly word: "denied" | "expired" | "withdrawn" | "sent";
  readonly why: string;
  /** A channel that was notified of the alert gets the end of that, and needs no other. */
  readonly withAlert?: true;
};

export type Decision = { readonly by: string; readonly reason: string; readonly at: Instant };
