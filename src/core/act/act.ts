import type { Alert } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import type { UnconfirmedReason } from "../../domain/finding.ts";
import { failureText } from "../../domain/http.ts";
import type { Observation } from "../../domain/observation.ts";
import type { Event } from "../../domain/step.ts";
import type { Remediation } from "../../domain/remediation.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { nextNumber, put, remove, touch, type Draft } from "../draft.ts";
import { noteExhaustion } from "./exhaustion.ts";
import type { GuardContext } from "./guards/guard.ts";
import { flipsAt, verdictOf } from "../judge/verdict.ts";
import { isNewest, partOf, probe } from "./probe.ts";
import { withdrawIfChanged } from "./propose.ts";
import type { Attempt } from "../state.ts";
import { clearSuppression, keepUnconfirmed, noteLate, suppress } from "./suppress.ts";
import { askGuards, noteAsked, waitUntil, alertsToAsk, type TimedObjection } from "./waiting.ts";

/**
 * Acting. An alert that fires and whose condition is bad now wants its remediation. If no guard objects,
 * its surface is read again; only if that reading still shows it bad, and no guard objects then, is the
 * remediation requested. So no action is sent on an old reading.
 */

/**
 * Asks the guards about the alerts that fire and want their remediation: the oldest first, and last those whose reading
 * did not come, which would otherwise leave no place among the actions under way.
 */
export function* considerActing(draft: Draft, event: Event): Slices {
  const { tables, confirming } = draft.state;
  const all: GuardContext[] = [];
  yield* eachInSlices(alertsToAsk(draft, event), (key) => {
    const alert = tables.alert.get(key);
    if (alert === undefined || draft.policy.rules.get(alert.rule)?.act === undefined) return;
    if (confirming.has(key) || ownRemediationIsOpen(draft, alert)) return;
    const wanting = wantingContext(draft, alert);
    if (wanting !== undefined) all.push(wanting);
  });
  const isLate = ({ alert }: GuardContext): number => Number(alert.suppressed?.reason === "stale");
  const firedAt = ({ alert }: GuardContext): Instant => alert.firedAt ?? 0;
  all.sort((one, other) => isLate(one) - isLate(other) || firedAt(one) - firedAt(other));
  yield* eachInSlices(all, (wanting) => {
    const objection = objectionTo(draft, wanting);
    if (objection === undefined) askForConfirmation(draft, wanting);
    else suppress(draft, wanting, objection);
    if (wanting.alert.attempts > 0) noteExhaustion(draft, wanting.alert.entity);
  });
  noteAsked(draft);
}

/**
 * Applies a reading that was requested after the confirmation was wanted: act on it now, or not at all. Only a probe
 * confirms, since it reads the whole body: a poll may be answered with 304, by a tag that never changes.
 */
export function confirmBy(draft: Draft, observation: Observation): void {
  if (observation.origin !== "probe") return;
  for (const [key, confirming] of draft.state.confirming) {
    const part = partOf(observation, confirming.surface);
    if (part === undefined || part.askedAt < confirming.requestedAt) continue;
    if (!isNewest(draft, confirming.surface, part) && !isOverdue(draft, confirming)) {
      probe(draft, confirming.surface, "confirm");
      continue;
    }
    draft.state.confirming.delete(key);
    const alert = draft.state.tables.alert.get(key);
    if (alert === undefined) continue;
    if (isOverdue(draft, confirming)) {
      giveUpConfirming(draft, alert, "late", NOT_IN_TIME);
      continue;
    }
    const wanting = part.reading.ok ? wantingContext(draft, alert) : undefined;
    if (wanting === undefined) {
      const [why, seen] = part.reading.ok
        ? (["well", "it is not so any more"] as const)
        : (["failed", failureText(part.reading.failure)] as const);
      const detail = `the reading before the action did not confirm it: ${seen}`;
      giveUpConfirming(draft, alert, why, detail);
      continue;
    }
    const objection = objectionTo(draft, wanting);
    if (objection === undefined) request(draft, wanting, part.askedAt);
    else suppress(draft, wanting, objection);
  }
}

/** Gives up confirmations that did not come in time; the next step may want them again. */
export function expireConfirmations(draft: Draft): void {
  for (const [key, confirming] of draft.state.confirming) {
    if (!isOverdue(draft, confirming)) continue;
    draft.state.confirming.delete(key);
    const alert = draft.state.tables.alert.get(key);
    if (alert !== undefined) giveUpConfirming(draft, alert, "late", NOT_IN_TIME);
  }
}

const NOT_IN_TIME = "no reading came within confirm_within";

/** By the instant, as no tick comes in between if the process was suspended. */
function isOverdue({ at, policy }: Draft, { requestedAt }: { readonly requestedAt: Instant }) {
  return at - requestedAt >= policy.acting.confirmWithinMs;
}

/** Withdraws an outdated proposal before the guards are asked: an approval of other facts does not count. */
function objectionTo(draft: Draft, wanting: GuardContext): TimedObjection | undefined {
  withdrawIfChanged(draft, wanting);
  return askGuards(draft, wanting);
}

/** Undefined unless the alert fires, its rule acts, and its condition is surely bad at this instant. */
function wantingContext(draft: Draft, alert: Alert): GuardContext | undefined {
  if (alert.state !== "firing" || alert.keepFiringSince !== undefined) return undefined;
  const rule = draft.policy.rules.get(alert.rule);
  if (rule?.act === undefined) return undefined;
  const entity = draft.state.tables.entity.get(entityKey(alert.entity));
  if (entity === undefined) return undefined;
  const { policy, state, at } = draft;
  waitUntil(draft, flipsAt(rule, rule.when, entity, at));
  const verdict = verdictOf(state, rule, entity, at);
  if (verdict.truth === "ok") return undefined;
  return { policy, state, at, alert, rule, act: rule.act, entity, verdict };
}

function ownRemediationIsOpen(draft: Draft, alert: Alert): boolean {
  const id = draft.state.unsettled.get(entityKey(alert.entity));
  return id !== undefined && draft.state.tables.remediation.get(id)?.alert === alert.key;
}

function askForConfirmation(draft: Draft, { alert, entity }: GuardContext): void {
  draft.state.confirming.set(alert.key, { requestedAt: draft.at, surface: entity.surface });
  keepUnconfirmed(draft, alert);
  probe(draft, entity.surface, "confirm");
}

function request(draft: Draft, wanting: GuardContext, askedAt: number): void {
  const { alert, rule, act, entity, at } = wanting;
  const action = draft.policy.actions.get(act.action);
  const call = action?.call(entity);
  // If a fact is missing, the guard `stale` has already objected.
  if (call === undefined) throw new Error(`no guard saw that ${act.action} lacks a fact`);
  const proposal = draft.state.tables.proposal.get(alert.key);
  const remediation: Remediation = {
    id: `r${nextNumber(draft, "remediation")}`,
    rule: rule.alert,
    alert: alert.key,
    alertStartedAt: alert.startedAt,
    action: act.action,
    call,
    entity: alert.entity,
    ...(entity.parent === undefined ? {} : { parent: entity.parent }),
    surface: entity.surface,
    state: "requested",
    requestedAt: at,
    settleBy: at + act.verifyWithinMs,
    verifyWithinMs: act.verifyWithinMs,
    detail: `confirmed by a reading asked at ${formatInstant(askedAt)}`,
    justifiedBy: { askedAt, facts: entity.facts },
    ...(proposal === undefined || proposal.approvals.length < act.approvals
      ? {}
      : {
          approvedBy: proposal.approvals.map(({ by }) => by).join(", "),
          approvals: proposal.approvals.length,
          approvedRule: rule.hash,
        }),
  };
  record(draft, wanting, remediation);
  draft.effects.push({
    type: "act",
    remediation: remediation.id,
    aggregator: entity.aggregator,
    action: act.action,
    call,
    askedAt,
  });
}

/** One request is one attempt, one entry in the ledger, and uses up its approval. */
function record(
  draft: Draft,
  { alert, rule, act, entity, at }: GuardContext,
  made: Remediation,
): void {
  const { tables, unsettled, unanswered, ledger } = draft.state;
  const key = entityKey(entity);
  put(draft, "remediation", made.id, made);
  unsettled.set(key, made.id);
  unanswered.set(key, made.id);
  const before: Partial<Attempt> = tables.attempt.get(key) ?? {};
  // An alert that kept firing counts those before the entity was well, too; the next one does not.
  const used = { ...before.used, [rule.alert]: (before.used?.[rule.alert] ?? 0) + 1 };
  put(draft, "attempt", key, { failures: 0, ...before, lastAt: at, used });
  ledger.push({ at, aggregator: entity.aggregator, rule: rule.alert, action: act.action });
  alert.attempts += 1;
  clearSuppression(draft, alert);
  endBySending(draft, alert.key, made);
  touch(draft, "alert", alert.key);
  draft.findings.push({ type: "remediation", remediation: { ...made }, detail: made.detail });
}

function endBySending(draft: Draft, alert: string, { id, approvedBy }: Remediation): void {
  const proposal = draft.state.tables.proposal.get(alert);
  if (proposal === undefined) return;
  remove(draft, "proposal", alert);
  const by = approvedBy === undefined ? "" : `; approved by ${approvedBy}`;
  draft.endedProposals.push({ proposal, word: "sent", why: `was sent as ${id}${by}` });
}

function giveUpConfirming(
  draft: Draft,
  alert: Alert,
  why: UnconfirmedReason,
  detail: string,
): void {
  const action = draft.policy.rules.get(alert.rule)?.act?.action;
  if (action === undefined) return;
  if (why === "well") clearSuppression(draft, alert);
  else if (why === "late") noteLate(draft, alert, detail);
  draft.findings.push({
    type: "unconfirmed",
    alert: alert.key,
    entity: alert.entity,
    action,
    why,
    detail,
  });
}
