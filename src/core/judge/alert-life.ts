import type { Alert } from "../../domain/alert.ts";
import type { EndedBecause } from "../../domain/entity.ts";
import type { Rule, Truth } from "../../domain/rule.ts";
import type { AlertChange } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";

/**
 * The life of one alert, as in Prometheus's rules/alerting.go, except for one thing: there, data that is
 * lost ends an alert; here its clocks stop. Unknown never fires, resolves, nor advances `for`.
 */
type Timing = Pick<Rule, "forMs" | "keepFiringForMs">;

/** The life-cycle fields of an alert. */
export type AlertLife = Pick<
  Alert,
  | "state"
  | "activeAt"
  | "firedAt"
  | "resolvedAt"
  | "resolvedBecause"
  | "keepFiringSince"
  | "unknownSince"
>;

/**
 * Moves an alert that is pending or firing by what its condition says now. Changes `alert`, and says
 * what changed. `dropped` means that the caller is to forget it.
 */
export function advance(
  alert: AlertLife,
  truth: Truth,
  because: "ok" | EndedBecause,
  timing: Timing,
  at: Instant,
): AlertChange | undefined {
  if (alert.state === "resolved") return undefined;
  if (truth === "unknown") {
    if (alert.unknownSince !== undefined) return undefined;
    alert.unknownSince = at;
    return "unknown";
  }
  const wasUnknown = closeGap(alert, at);
  if (truth === "bad") {
    const change = fireWhenDue(alert, timing, at) ?? returnToPending(alert, timing, at);
    delete alert.keepFiringSince;
    return change ?? (wasUnknown ? "known" : undefined);
  }
  if (alert.state === "pending") return "dropped";
  alert.keepFiringSince ??= at;
  return resolveWhenDue(alert, because, timing, at) ?? (wasUnknown ? "known" : undefined);
}

/**
 * How an alert moves by time alone: `for` and `keep_firing_for` run out. `because` says whether its
 * entity still exists, as it may have ended while the alert kept firing.
 */
export function advanceByTime(
  alert: AlertLife,
  because: "ok" | EndedBecause,
  timing: Timing,
  at: Instant,
): AlertChange | undefined {
  if (alert.unknownSince !== undefined) return undefined;
  if (alert.state === "pending") return fireWhenDue(alert, timing, at);
  if (alert.state === "firing" && alert.keepFiringSince !== undefined) {
    return resolveWhenDue(alert, because, timing, at);
  }
  return undefined;
}

/** Time in unknown counts neither towards `for` nor towards `keep_firing_for`. */
function closeGap(alert: AlertLife, at: Instant): boolean {
  if (alert.unknownSince === undefined) return false;
  const gap = at - alert.unknownSince;
  delete alert.unknownSince;
  if (alert.state === "pending") alert.activeAt += gap;
  if (alert.keepFiringSince !== undefined) alert.keepFiringSince += gap;
  return true;
}

function fireWhenDue(alert: AlertLife, timing: Timing, at: Instant): AlertChange | undefined {
  if (alert.state !== "pending" || at - alert.activeAt < timing.forMs) return undefined;
  alert.state = "firing";
  alert.firedAt = at;
  return "firing";
}

/**
 * `for` was raised while it fired, so that it would not have fired yet: it is pending again. If it was ok
 * meanwhile, and only kept firing, it is bad from now on.
 */
function returnToPending(alert: AlertLife, timing: Timing, at: Instant): AlertChange | undefined {
  if (alert.state !== "firing" || at - alert.activeAt >= timing.forMs) return undefined;
  alert.state = "pending";
  if (alert.keepFiringSince !== undefined) alert.activeAt = at;
  delete alert.firedAt;
  return "pending";
}

function resolveWhenDue(
  alert: AlertLife,
  because: "ok" | EndedBecause,
  timing: Timing,
  at: Instant,
): AlertChange | undefined {
  // What is not watched any more does not come back in a moment.
  const keepsMs = because === "unwatched" ? 0 : timing.keepFiringForMs;
  if (at - (alert.keepFiringSince ?? at) < keepsMs) return undefined;
  alert.state = "resolved";
  alert.resolvedAt = at;
  alert.resolvedBecause = because;
  delete alert.keepFiringSince;
  return "resolved";
}
