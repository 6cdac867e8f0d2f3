import type { ActionReply } from "../../domain/action.ts";
import type { Alert } from "../../domain/alert.ts";
import { entityKey } from "../../domain/entity.ts";
import type { Remediation } from "../../domain/remediation.ts";
import { remove, touch, type Draft } from "../draft.ts";
import { isExhausted } from "./exhaustion.ts";
import { attemptsOn, forgetRepair, noteRepairIfAny } from "./repairs.ts";
import { clearSuppression } from "./suppress.ts";

/**
 * A remediation that was held back before it was sent counts as not tried: it uses no attempt and no budget, and begins
 * no cooldown. The next step may want it again, after another reading; after several in a row, after a pause. Only an
 * approval is used up.
 */
export function takeBack(draft: Draft, remediation: Remediation): void {
  const { tables, unsettled, ledger } = draft.state;
  const { rule, action, entity, requestedAt } = remediation;
  const key = entityKey(entity);
  remediation.unsent = true;
  const wasVerified = remediation.state === "verified";
  const wasFailure = remediation.settledAt !== undefined && !wasVerified;
  remediation.settledAt ??= draft.at;
  // If it was settled before, another one may be open by now.
  if (unsettled.get(key) === remediation.id) unsettled.delete(key);
  const entry = ledger.findLastIndex(
    (one) =>
      one.at === requestedAt &&
      one.aggregator === entity.aggregator &&
      one.rule === rule &&
      one.action === action,
  );
  if (entry !== -1) ledger.splice(entry, 1);
  giveBackAttempt(draft, remediation);
  const attempt = tables.attempt.get(key);
  if (attempt === undefined) return;
  const used = attempt.used?.[rule] ?? 0;
  if (used > 0) attempt.used = { ...attempt.used, [rule]: used - 1 };
  const tried = attemptsOn(draft, entity);
  // Attempts of other rules may count although their remediations are forgotten by now.
  if (tried.length === 0 && !Object.values(attempt.used ?? {}).some((count) => count > 0)) {
    remove(draft, "attempt", key);
    if (!tables.quarantine.has(key)) forgetRepair(draft, key);
    return;
  }
  // Others did it: that it is undone is no tug of war with aggwatch.
  if (attempt.lastAt === requestedAt) delete attempt.verifiedAt;
  if (wasFailure) attempt.failures = Math.max(0, attempt.failures - 1);
  attempt.lastAt = Math.max(0, ...tried.map((one) => one.requestedAt));
  touch(draft, "attempt", key);
  const { failures } = attempt;
  noteRepairIfAny(draft, entity, { failures, exhausted: isExhausted(draft, entity) });
}

/**
 * A later run of the alert began with what was used, and has requested nothing since, as this one was not answered: if
 * it counts any attempt, it counts this one.
 */
function giveBackAttempt(draft: Draft, { alert: key, alertStartedAt, requestedAt }: Remediation) {
  const alert = draft.state.tables.alert.get(key);
  if (alert === undefined) return;
  alert.attempts = Math.max(0, alert.attempts - 1);
  if (alert.startedAt === alertStartedAt)
    alert.unsent = { times: (alert.unsent?.times ?? 0) + 1, lastAt: requestedAt };
  touch(draft, "alert", alert.key);
}

/** It counts as tried: what was held back before it calls for no pause any more. */
export function endUnsent(draft: Draft, remediation: Remediation): void {
  const alert = alertOf(draft, remediation);
  if (alert?.unsent === undefined) return;
  delete alert.unsent;
  touch(draft, "alert", alert.key);
}

/** The alert that it is for, if its run still lasts. */
function alertOf({ state }: Draft, { alert: key, alertStartedAt }: Remediation): Alert | undefined {
  const alert = state.tables.alert.get(key);
  return alert?.startedAt === alertStartedAt ? alert : undefined;
}

/** What was given up, or done by others, before it was sent, and so was not sent, counts as not tried. */
export function takeBackIfUnsent(
  draft: Draft,
  remediation: Remediation,
  { outcome, detail }: ActionReply,
): void {
  if (outcome !== "unsent") return;
  remediation.answeredAt = draft.at;
  takeBack(draft, remediation);
  touch(draft, "remediation", remediation.id);
  // What still holds the next one back is found again, after this.
  const alert = draft.state.tables.alert.get(remediation.alert);
  if (alert !== undefined) clearSuppression(draft, alert);
  const found = { ...remediation };
  draft.findings.push({ type: "remediation", remediation: found, detail, corrected: true });
}
