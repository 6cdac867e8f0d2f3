import type { Alert } from "../../domain/alert.ts";
import type { AlertNotification, Notification } from "../../domain/notification.ts";
import type { Instant } from "../../domain/time.ts";
import type { Draft } from "../draft.ts";

/** The notification of an alert as it is now. */
export function alertNotification(
  alert: Readonly<Alert>,
  state: "firing" | "resolved",
  at: Instant,
): AlertNotification {
  const { key, rule, severity, labels, annotations, startedAt } = alert;
  const { aggregator, kind, id } = alert.entity;
  return {
    type: "alert",
    state,
    key,
    rule,
    severity,
    entity: { aggregator, kind, id },
    labels,
    annotations,
    startedAt,
    firedAt: alert.firedAt ?? alert.startedAt,
    ...(state === "resolved" ? { resolvedAt: alert.resolvedAt ?? at } : {}),
    ...(state === "firing" && alert.suppressed !== undefined
      ? { suppressed: `${alert.suppressed.reason}: ${alert.suppressed.detail}` }
      : {}),
  };
}

/** With the alert as it is now, if the same run of it still fires: what waited for long is sent as it is known by then. */
export function refreshed(draft: Draft, notification: Notification): Notification {
  if (notification.type !== "alert" || notification.state !== "firing") return notification;
  const alert = draft.state.tables.alert.get(notification.key);
  const isSame = alert?.state === "firing" && alert.startedAt === notification.startedAt;
  return isSame ? alertNotification(alert, "firing", draft.at) : notification;
}

/** The same run of an alert, at its end. */
export function resolvedNotification(
  notification: AlertNotification,
  at: Instant,
): AlertNotification {
  const { suppressed: _, ...rest } = notification;
  return { ...rest, state: "resolved", resolvedAt: at };
}
