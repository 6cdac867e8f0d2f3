import type { ActionCall, ActionName } from "./action.ts";
import type { EntityId, Facts } from "./entity.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * One attempt to repair, tied to an alert.
 *
 * - `requested`: committed to the journal; the request may or may not have left yet.
 * - `acknowledged`: the aggregator answered with a success, which alone proves nothing.
 * - `in_doubt`: no answer, or a crash in between. Never sent again; only seeing settles it.
 * - `verified`: a reading that was asked for afterwards shows the aim reached.
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
  /** It was held back before it was sent: no attempt, and nothing of a budget. */
  unsent?: true;
};

/** What a person is shown and approves: the rule as it is, the request, and the facts that matter to both. */
export type Shown = {
  /** The rule's hash. */
  readonly rule: string;
  readonly call: ActionCall;
  readonly facts: Facts;
};

/** A remediation that waits for a person. What it shows never changes: another one takes its place instead. */
export type Proposal = {
  readonly id: string;
  readonly alert: string;
  readonly alertStartedAt: Instant;
  readonly rule: string;
  readonly action: ActionName;
  readonly entity: EntityId;
  readonly shown: Shown;
  /** Of all that is shown. Who approves names it. */
  readonly digest: string;
  readonly proposedAt: Instant;
  readonly expiresAt: Instant;
  /** Each by another person. */
  approvals: Decision[];
  /** It stays denied for as long as this run of the alert lasts. */
  denial?: Decision;
  /** What was shown has changed since, so it cannot be approved any more. */
  withdrawn?: { readonly at: Instant; readonly why: string };
  /** Those that it took the place of in this run of the alert, newest first, and why of the newest. */
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
};

export type Decision = { readonly by: string; readonly reason: string; readonly at: Instant };
