import type { CommandOutcome } from "../../domain/command.ts";
import { entityKey, parseEntityKey, type EntityId } from "../../domain/entity.ts";
import { formatDuration } from "../../domain/time.ts";
import { put, remove, touch, type Draft } from "../draft.ts";
import { noteExhaustion } from "./exhaustion.ts";
import { noteRepair, noteRepairIfAny } from "./repairs.ts";

/**
 * Tug of war: what we repaired was undone soon after, again and again. A person or another machine
 * disagrees, and people must decide. The entity is quarantined until it is released.
 */

/** A repair of the entity was seen to be done. */
export function noteVerified(draft: Draft, key: string): void {
  const attempt = draft.state.tables.attempt.get(key);
  if (attempt === undefined) return;
  attempt.verifiedAt = draft.at;
  touch(draft, "attempt", key);
}

/** Applies the step's judgements to the attempts and the `repair` entities. */
export function noteJudgements(draft: Draft): void {
  for (const entity of draft.badAgain.splice(0)) noteBadAgain(draft, entity);
  for (const entity of draft.quiet.splice(0)) noteExhaustion(draft, entity);
}

/** An entity that is repaired by a rule is bad, and was not before. */
function noteBadAgain(draft: Draft, entity: EntityId): void {
  const key = entityKey(entity);
  const attempt = draft.state.tables.attempt.get(key);
  if (attempt?.verifiedAt === undefined) return;
  const { undoWindowMs, undoLimit } = draft.policy.acting;
  const afterMs = draft.at - attempt.verifiedAt;
  attempt.undone = afterMs <= undoWindowMs ? (attempt.undone ?? 0) + 1 : 0;
  delete attempt.verifiedAt;
  touch(draft, "attempt", key);
  if (attempt.undone < undoLimit || draft.state.tables.quarantine.has(key)) return;
  const reason = `what was repaired was undone ${attempt.undone} times, the last time after ${formatDuration(afterMs)}`;
  put(draft, "quarantine", key, { since: draft.at, reason });
  draft.findings.push({ type: "quarantine", change: "began", entity: key, detail: reason });
  noteRepair(draft, entity, { quarantined: true, undone: attempt.undone, detail: reason });
}

/** Ends the quarantine of an entity, by its key. */
export function releaseQuarantine(draft: Draft, key: string, by: string): CommandOutcome {
  if (!remove(draft, "quarantine", key)) {
    return { accepted: false, detail: `${key} is not quarantined` };
  }
  const attempt = draft.state.tables.attempt.get(key);
  if (attempt !== undefined) {
    attempt.undone = 0;
    touch(draft, "attempt", key);
  }
  noteRepairIfAny(draft, parseEntityKey(key), { quarantined: false, undone: 0 });
  draft.findings.push({
    type: "quarantine",
    change: "ended",
    entity: key,
    detail: `released by ${by}`,
  });
  return { accepted: true, detail: key };
}
