import type { ActionReply } from "../../domain/action.ts";
import { entityKey, parseEntityKey } from "../../domain/entity.ts";
import type { Observation } from "../../domain/observation.ts";
import { isSettled, type Remediation, type RemediationState } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import { formatDuration, MINUTE, SECOND, type Millis } from "../../domain/time.ts";
import { remove, touch, type Draft } from "../draft.ts";
import { UNSENT, withDoubt } from "./details.ts";
import { isExhausted } from "./exhaustion.ts";
import { unsureAbout } from "../observe/doubt.ts";
import { isNewest, partOf, probe } from "./probe.ts";
import { forgetRepair, noteRepair } from "./repairs.ts";
import { endUnsent, takeBack, takeBackIfUnsent } from "./take-back.ts";
import { noteDone, noteNeverSeenDone } from "./tug-of-war.ts";

/**
 * Verified, not assumed. A remediation is settled by a reading that was requested after it, by the
 * aggregator's refusal, or by its deadline; never by a success status, nor by the lack of an answer.
 */

/** Applies the aggregator's answer, or that there was none. */
export function applyReply(draft: Draft, id: string, reply: ActionReply): void {
  noteEnded(draft, id);
  const remediation = draft.state.tables.remediation.get(id);
  // A second answer would put off the deadline.
  if (remediation === undefined || remediation.answeredAt !== undefined) return;
  if (isSettled(remediation)) return takeBackIfUnsent(draft, remediation, reply);
  remediation.answeredAt = draft.at;
  if (reply.outcome === "unsent") {
    takeBack(draft, remediation);
    return moveTo(draft, remediation, "rejected", reply.detail);
  }
  endUnsent(draft, remediation);
  if (reply.outcome === "rejected") {
    settle(draft, remediation, "rejected", reply.detail);
    return;
  }
  moveTo(draft, remediation, reply.outcome, reply.detail);
  remediation.settleBy = draft.at + remediation.verifyWithinMs;
  probeAgain(draft, remediation);
}

/** Its request is not under way any more. Its own row may be gone by now. */
function noteEnded({ state: { unanswered } }: Draft, remediation: string): void {
  for (const [key, id] of unanswered) if (id === remediation) unanswered.delete(key);
}

/** What was requested before the process started may or may not have been sent: never send it again. */
export function doubtUnanswered(draft: Draft): void {
  for (const remediation of openRemediations(draft)) {
    if (remediation.state === "requested") {
      moveTo(draft, remediation, "in_doubt", "the process ended before the answer was recorded");
    }
    endUnsent(draft, remediation);
    remediation.settleBy = draft.at + remediation.verifyWithinMs;
    touch(draft, "remediation", remediation.id);
  }
}

/** The journal could not be written, so these were not sent. */
export function rejectUnsent(draft: Draft, ids: readonly string[]): void {
  for (const id of ids) {
    noteEnded(draft, id);
    const remediation = draft.state.tables.remediation.get(id);
    if (remediation !== undefined && !isSettled(remediation)) {
      endUnsent(draft, remediation);
      settle(draft, remediation, "rejected", UNSENT);
    }
  }
}

/**
 * The aggregator has another address now. What was sent went to the old one, so no reading of the new
 * one can show that it was done.
 */
export function giveUpMoved(draft: Draft, moved: readonly string[]): void {
  for (const [key, { surface }] of draft.state.confirming) {
    // A reading of the old address must not confirm an action on the new one.
    if (moved.some((name) => surface.startsWith(`${name}/`))) draft.state.confirming.delete(key);
  }
  for (const remediation of openRemediations(draft)) {
    if (!moved.includes(remediation.entity.aggregator)) continue;
    const until = remediation.state === "requested" ? "it was answered" : "it was seen to be done";
    const detail = `base_url was changed before ${until}: see at the old address`;
    settle(draft, remediation, "unverified", withDoubt(remediation, detail));
  }
}

/**
 * A reading that was requested after the action shows whether its aim is reached. Only a probe verifies: a poll may be
 * answered with 304, by a tag that never changes.
 */
export function settleByReading(draft: Draft, observation: Observation): void {
  for (const remediation of openRemediations(draft)) {
    const part = partOf(observation, remediation.surface);
    const since = remediation.answeredAt ?? remediation.requestedAt;
    if (part === undefined || !part.reading.ok) continue;
    const entity = draft.state.tables.entity.get(entityKey(remediation.entity));
    if (entity?.unknownSince !== undefined) continue;
    // An unknown entity may be among those that a cut listing did not show, or that were left out of it.
    if (entity === undefined && !(part.reading.complete && isAllKnown(draft, remediation)))
      continue;
    if (entity !== undefined && unsureAbout(draft.state, entity) !== undefined) continue;
    const aim = draft.policy.actions.get(remediation.action)?.aim(entity);
    if (aim !== "reached") continue;
    const isProbe = observation.origin === "probe";
    const isSure = isProbe && isNewest(draft, remediation.surface, part);
    if (part.askedAt <= since || !isSure) {
      // Too soon to verify it. But if it was requested after the action, a later undoing counts.
      if (part.askedAt > remediation.requestedAt) noteDone(draft, entityKey(remediation.entity));
      // A poll overtook it, and might overtake each that is asked as long after a tick.
      if (isProbe && part.askedAt > since) probeAgain(draft, remediation);
      continue;
    }
    const tookMs = draft.at - remediation.requestedAt;
    settle(draft, remediation, "verified", `seen to be done after ${formatDuration(tookMs)}`);
  }
}

function isAllKnown({ state }: Draft, { surface }: Remediation): boolean {
  return state.surfaces.get(surface)?.leftOut === undefined;
}

/** Reads again while the aim is not seen, and gives up at the deadline. */
export function settleByTime(draft: Draft): void {
  for (const remediation of openRemediations(draft)) {
    if (draft.at >= remediation.settleBy) {
      const within = formatDuration(remediation.verifyWithinMs);
      const isUndone = wasSeenNotDone(draft, remediation);
      const detail = withDoubt(remediation, `not seen to be done within ${within}`);
      settle(draft, remediation, "unverified", detail);
      if (isUndone) noteNeverSeenDone(draft, remediation.entity, remediation.requestedAt);
      continue;
    }
    const lastProbeAt = remediation.lastProbeAt ?? remediation.requestedAt;
    if (draft.at - lastProbeAt >= probeInterval(remediation)) probeAgain(draft, remediation);
  }
}

/** Whether it was acknowledged, can be undone, and a sure reading since then shows it not done. */
function wasSeenNotDone({ policy, state }: Draft, remediation: Remediation): boolean {
  const { answeredAt, surface, action: name } = remediation;
  const action = policy.actions.get(name);
  const askedAt = state.surfaces.get(surface)?.askedAt;
  if (remediation.state !== "acknowledged" || answeredAt === undefined) return false;
  if (action === undefined || action.irreversible) return false;
  if (askedAt === undefined || askedAt <= answeredAt) return false;
  const entity = state.tables.entity.get(entityKey(remediation.entity));
  if (entity !== undefined && unsureAbout(state, entity) !== undefined) return false;
  return entity?.unknownSince === undefined && action.aim(entity) === "open";
}

/** Forgets old settled remediations, except those that a budget may still count. */
export function forgetOldRemediations(draft: Draft): void {
  const { tables, ledger } = draft.state;
  const horizon = draft.at - Math.max(draft.policy.remediationRetentionMs, longestWindow(draft));
  for (const [id, remediation] of tables.remediation) {
    if (remediation.requestedAt >= horizon) break;
    if (!isSettled(remediation)) continue;
    remove(draft, "remediation", id);
  }
  for (const [key, attempt] of tables.attempt) {
    if (attempt.lastAt >= horizon || stillCounts(draft, key)) continue;
    remove(draft, "attempt", key);
    forgetRepair(draft, key);
  }
  const keep = ledger.findIndex((entry) => entry.at >= horizon);
  ledger.splice(0, keep === -1 ? ledger.length : keep);
}

/** Whether attempts on an entity count at any age, as an alert is about them or one is under way. */
export function stillCounts(known: Pick<Draft, "policy" | "state">, entity: string): boolean {
  const { unsettled, tables } = known.state;
  if (unsettled.has(entity) || tables.quarantine.has(entity)) return true;
  return isExhausted(known, parseEntityKey(entity));
}

/** How long what was sent may still count: for a budget, a cooldown, or if it is undone. */
export function longestWindow({ policy }: { readonly policy: Policy }): Millis {
  const { acting } = policy;
  let longest = Math.max(acting.budget.perMs, acting.undoWindowMs);
  for (const budget of Object.values(acting.budgets)) {
    longest = Math.max(longest, budget.perMs);
  }
  for (const rule of policy.rules.values()) {
    if (rule.act === undefined) continue;
    // A doubled cooldown, up to 64 times as long, must be remembered too.
    longest = Math.max(longest, rule.act.budget.perMs, rule.act.cooldownMs * 64);
  }
  return longest + MINUTE;
}

function openRemediations(draft: Draft): Remediation[] {
  const open: Remediation[] = [];
  for (const id of draft.state.unsettled.values()) {
    const remediation = draft.state.tables.remediation.get(id);
    if (remediation !== undefined) open.push(remediation);
  }
  return open;
}

function settle(
  draft: Draft,
  remediation: Remediation,
  state: "verified" | "unverified" | "rejected",
  detail: string,
): void {
  const key = entityKey(remediation.entity);
  remediation.settledAt = draft.at;
  draft.state.unsettled.delete(key);
  const attempt = draft.state.tables.attempt.get(key);
  if (attempt !== undefined) {
    attempt.failures = state === "verified" ? 0 : attempt.failures + 1;
    touch(draft, "attempt", key);
  }
  moveTo(draft, remediation, state, detail);
  if (state === "verified") noteDone(draft, key);
  noteRepair(draft, remediation.entity, {
    action: remediation.action,
    rule: remediation.rule,
    last_outcome: state,
    last_attempt: remediation.requestedAt,
    detail,
    failures: attempt?.failures ?? 0,
    exhausted: isExhausted(draft, remediation.entity),
  });
}

function moveTo(
  draft: Draft,
  remediation: Remediation,
  state: RemediationState,
  detail: string,
): void {
  remediation.state = state;
  remediation.detail = detail;
  touch(draft, "remediation", remediation.id);
  draft.findings.push({ type: "remediation", remediation: { ...remediation }, detail });
}

function probeAgain(draft: Draft, remediation: Remediation): void {
  remediation.lastProbeAt = draft.at;
  touch(draft, "remediation", remediation.id);
  probe(draft, remediation.surface, "verify");
}

/** About ten probes within `verify_within`, none closer than a second. */
export function probeInterval(remediation: Remediation): Millis {
  return Math.max(SECOND, Math.min(10 * SECOND, remediation.verifyWithinMs / 10));
}
