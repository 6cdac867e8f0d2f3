import type { Alert } from "../../domain/alert.ts";
import type { SuppressionReason } from "../../domain/guard.ts";
import { touch, type Draft } from "../draft.ts";
import type { GuardContext } from "./guards/guard.ts";
import { reasonsOf, SUPPRESSION_REASONS } from "./guards/index.ts";
import { propose } from "./propose.ts";
import type { TimedObjection } from "./waiting.ts";

/** Why the remediation of an alert is not sent just now, and since when. */

const KEPT_CURRENT = reasonsOf(({ isKeptCurrent }) => isKeptCurrent);
const PAUSES = reasonsOf(({ isPause }) => isPause);

/** What is asked before a pause does surely not object during it, so it is over. */
function mayGoOn({ reason }: NonNullable<Alert["suppressed"]>, pause: SuppressionReason): boolean {
  return SUPPRESSION_REASONS.indexOf(reason) > SUPPRESSION_REASONS.indexOf(pause);
}

/** If the readings before many actions do not come, each now waits for its own, now for a place among them. */
function takeTurns(one: SuppressionReason, other: SuppressionReason): boolean {
  return one === "stale" && other === "under_way";
}

/** Notes which guard objects. It is found once for as long as its reason is the first one. */
export function suppress(draft: Draft, wanting: GuardContext, objection: TimedObjection): void {
  const { alert, act } = wanting;
  if (objection.reason === "approval") propose(draft, wanting);
  const { reason, detail, isTimed } = objection;
  const known = alert.suppressed;
  if (known?.reason === reason) {
    const counts = !KEPT_CURRENT.has(reason) || (reason === "starting" && isTimed);
    if (counts || known.detail === detail) return;
    alert.suppressed = { ...known, detail };
    return touch(draft, "alert", alert.key);
  }
  const before = known !== undefined && PAUSES.has(known.reason) ? known.before : known;
  if (before?.reason === reason)
    alert.suppressed = KEPT_CURRENT.has(reason) ? { ...before, detail } : before;
  else if (PAUSES.has(reason) && before !== undefined && mayGoOn(before, reason))
    alert.suppressed = { reason, detail, since: draft.at, before };
  else if (known !== undefined && before === undefined && takeTurns(known.reason, reason))
    alert.suppressed = { ...known, reason, detail };
  else alert.suppressed = { reason, detail, since: draft.at };
  touch(draft, "alert", alert.key);
  const { since } = alert.suppressed;
  draft.findings.push({
    type: "suppressed",
    alert: alert.key,
    entity: alert.entity,
    action: act.action,
    reason,
    detail,
    ...(since < draft.at && { since }),
  });
}

/** Notes that no guard objects. */
export function clearSuppression(draft: Draft, alert: Alert): void {
  if (alert.suppressed === undefined) return;
  delete alert.suppressed;
  touch(draft, "alert", alert.key);
}

/** Notes that the alert's rule does not act any more: nothing is held back, and no attempts of it are used up. */
export function endWanting(draft: Draft, alert: Alert): void {
  clearSuppression(draft, alert);
  if (alert.attempts > 0) draft.quiet.push(alert.entity);
}

/**
 * Notes that no guard objects, and that the reading before the action is awaited. If that fails again and again, the
 * action is held back all along, although each poll in between is fresh; so it is if it had to wait for a place first.
 */
export function keepUnconfirmed(draft: Draft, alert: Alert): void {
  if (alert.suppressed?.reason === "under_way") return;
  if (alert.suppressed?.reason !== "stale") return clearSuppression(draft, alert);
  const { before, ...stale } = alert.suppressed;
  if (before === undefined) return;
  alert.suppressed = stale;
  touch(draft, "alert", alert.key);
}

/** Notes that the reading before the action did not come, which no guard would know of. */
export function noteLate(draft: Draft, alert: Alert, detail: string): void {
  const known = alert.suppressed;
  if (known?.reason === "stale") return;
  const isTurn = known?.reason === "under_way";
  alert.suppressed = { ...(isTurn ? known : { since: draft.at }), reason: "stale", detail };
  touch(draft, "alert", alert.key);
}
