import type { CommandOutcome } from "../../domain/command.ts";
import { entityKey, parseEntityKey, type EntityId } from "../../domain/entity.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import type { Attempt } from "../state.ts";
import { put, remove, touch, type Draft } from "../draft.ts";
import { isExhausted, noteExhaustion } from "./exhaustion.ts";
import { hasRepair, noteRepair, noteRepairIfAny } from "./repairs.ts";

/**
 * Tug of war: what we repaired was undone soon after, again and again. A person or another machine
 * disagrees, and people must decide. The entity is quarantined until it is released.
 */

/** Notes that a repair of the entity was seen done, even by a reading that was requested too soon to verify it. */
export function noteDone(draft: Draft, key: string): void {
  const attempt = draft.state.tables.attempt.get(key);
  // After it was undone, others did it.
  if (attempt === undefined || attempt.undoneRequest === attempt.lastAt) return;
  attempt.verifiedAt = draft.at;
  touch(draft, "attempt", key);
}

/** Applies the step's judgements to the attempts and the `repair` entities. */
export function* noteJudgements(draft: Draft): Slices {
  yield* eachInSlices(draft.badAgain.splice(0), (entity) => noteBadAgain(draft, entity));
  yield* eachInSlices(draft.quiet.splice(0), (entity) => noteExhaustion(draft, entity));
}

/** Notes that an entity that a rule repairs has become bad. */
function noteBadAgain(draft: Draft, entity: EntityId): void {
  const key = entityKey(entity);
  const attempt = draft.state.tables.attempt.get(key);
  if (attempt === undefined) return;
  const { verifiedAt, lastAt } = attempt;
  if (attempt.undoneRequest === lastAt) return;
  const lastedMs = draft.at - (verifiedAt ?? lastAt);
  const hasLasted = lastedMs > draft.policy.acting.undoWindowMs;
  // A repair that was done too late to be verified lasted all the same, if it was well in between: attempts that still
  // count say that it was not, but missing, or judged by another rule.
  if (verifiedAt === undefined && (!hasLasted || attempt.used !== undefined)) return;
  delete attempt.verifiedAt;
  touch(draft, "attempt", key);
  if (hasLasted) return endRow(attempt);
  attempt.undoneSurely = true;
  attempt.undoneRequest = lastAt;
  countUndone(draft, entity, attempt, `after ${formatDuration(lastedMs)}`);
}

/**
 * The aggregator acknowledged the action, but every reading since has shown it not done: it was undone before it could
 * be seen, or had no effect. Trying that again and again is a tug of war in either case.
 */
export function noteNeverSeenDone(draft: Draft, entity: EntityId, requestedAt: Instant): void {
  const attempt = draft.state.tables.attempt.get(entityKey(entity));
  // It was seen done and then undone, which is already counted.
  if (attempt === undefined || (attempt.undoneAt ?? -Infinity) >= requestedAt) return;
  // The attempts are used up: nothing more is sent, and people are notified.
  if (isExhausted(draft, entity)) return;
  countUndone(draft, entity, attempt, "before it was seen to be done");
}

function endRow(attempt: Attempt): void {
  attempt.undone = 0;
  delete attempt.undoneSurely;
}

function countUndone(draft: Draft, entity: EntityId, attempt: Attempt, when: string): void {
  const key = entityKey(entity);
  attempt.undone = (attempt.undone ?? 0) + 1;
  attempt.undoneAt = draft.at;
  touch(draft, "attempt", key);
  const { undoLimit } = draft.policy.acting;
  // If none was ever seen done, they may have had no effect, and one more is tried.
  const limit = attempt.undoneSurely === true ? undoLimit : undoLimit + 1;
  if (attempt.undone < limit || draft.state.tables.quarantine.has(key)) return;
  const reason = `what was repaired was undone ${attempt.undone} times, the last time ${when}`;
  put(draft, "quarantine", key, { since: draft.at, reason });
  draft.findings.push({ type: "quarantine", change: "began", entity: key, detail: reason });
  noteRepair(draft, entity, { quarantined: true, undone: attempt.undone, detail: reason });
}

/**
 * Makes the `repair` of what is quarantined if it is not there: it ends with an aggregator that leaves the config, and a
 * quarantine does not. So once the aggregator is back, people are alerted again.
 */
export function adoptQuarantines(draft: Draft): void {
  const { tables } = draft.state;
  for (const [key, { reason: detail }] of tables.quarantine) {
    const of = parseEntityKey(key);
    if (hasRepair(draft, of)) continue;
    const undone = tables.attempt.get(key)?.undone ?? 0;
    noteRepair(draft, of, { quarantined: true, undone, detail });
  }
}

/** A person would not read more keys. */
const MOST_NAMED = 20;

/** The key may be misspelt, so those that are quarantined are named. */
function quarantinedNow({ state }: Draft): string {
  const keys = [...state.tables.quarantine.keys()];
  if (keys.length === 0) return "";
  const left = keys.length - MOST_NAMED;
  return `; these are: ${keys.slice(0, MOST_NAMED).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** Ends the quarantine of an entity, by its key. */
export function releaseQuarantine(draft: Draft, key: string, by: string): CommandOutcome {
  if (!remove(draft, "quarantine", key)) {
    return { accepted: false, detail: `${key} is not quarantined${quarantinedNow(draft)}` };
  }
  const attempt = draft.state.tables.attempt.get(key);
  if (attempt !== undefined) {
    endRow(attempt);
    touch(draft, "attempt", key);
  }
  noteRepairIfAny(draft, parseEntityKey(key), { quarantined: false, undone: 0 });
  draft.findings.push({
    type: "quarantine",
    change: "ended",
    entity: key,
    detail: `released by ${by}`,
  });
  return { accepted: true, detail: `${key} is not quarantined any more` };
}
