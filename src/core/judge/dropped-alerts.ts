import type { Alert } from "../../domain/alert.ts";
import { countBad } from "../act/storm-count.ts";
import { remove, type Draft } from "../draft.ts";
import type { State } from "../state.ts";
import { clearAlertTimer } from "./alert-timers.ts";

/** Alerts that are dropped: what ended without firing, and what resolved and is not shown any more. */

/** The most resolved alerts that are still shown. */
export const MOST_RESOLVED = 10_000;

/** Puts the resolved alerts in the order in which they resolved. */
export function indexResolved({ tables, resolved }: State): void {
  resolved.clear();
  const found = [...tables.alert.values()].filter(({ state }) => state === "resolved");
  found.sort((one, other) => (one.resolvedAt ?? 0) - (other.resolvedAt ?? 0));
  for (const { key } of found) resolved.add(key);
}

/** Drops the oldest resolved alert beyond the limit: entities may come and go faster than their alerts expire. */
export function dropOldestResolved(draft: Draft): void {
  const { resolved, tables } = draft.state;
  if (resolved.size <= MOST_RESOLVED) return;
  const [oldest = ""] = resolved;
  const alert = tables.alert.get(oldest);
  if (alert !== undefined) dropAlert(draft, alert);
}

/** Forgets an alert, and what counts and waits for it. */
export function dropAlert(draft: Draft, alert: Alert): void {
  countBad(draft, alert, true);
  remove(draft, "alert", alert.key);
  draft.state.firing.delete(alert.key);
  draft.state.resolved.delete(alert.key);
  clearAlertTimer(draft, alert);
}
