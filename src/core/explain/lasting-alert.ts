import type { Alert } from "../../domain/alert.ts";
import type { Instant } from "../../domain/time.ts";

/** An alert of now as far as it is known of an instant that is past; undefined if it began later, or has ended. */
export function lastingThen(alert: Readonly<Alert>, at: Instant): Alert | undefined {
  if (alert.state === "resolved" || alert.startedAt > at) return undefined;
  const { suppressed: _now, firedAt, keepFiringSince, unknownSince, ...rest } = alert;
  const byThen = (since: Instant | undefined): since is Instant =>
    since !== undefined && since <= at;
  return {
    ...rest,
    activeAt: Math.min(alert.activeAt, at),
    ...(byThen(firedAt) ? { state: "firing", firedAt } : { state: "pending" }),
    ...(byThen(keepFiringSince) && { keepFiringSince }),
    ...(byThen(unknownSince) && { unknownSince }),
  };
}
