import type { Alert, Suppression } from "../../domain/alert.ts";
import type { AlertNotification, Notification } from "../../domain/notification.ts";
import { isOfThen } from "../../domain/shown/suppression.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { annotationsNow } from "../judge/alert-text.ts";
import type { Draft } from "../draft.ts";

/** The notification of an alert as it is now. */
export function alertNotification(
  draft: Draft,
  alert: Readonly<Alert>,
  state: "firing" | "resolved",
): AlertNotification {
  const { at, policy } = draft;
  const { tables } = draft.state;
  const isLive = state === "firing" && policy.notify.annotations === "live";
  const mutes = state === "firing" ? mutedBy(draft, alert) : undefined;
  const { key, rule, severity, labels, startedAt } = alert;
  const { aggregator, kind, id } = alert.entity;
  return {
    type: "alert",
    state,
    key,
    rule,
    severity,
    entity: { aggregator, kind, id },
    labels,
    annotations: isLive
      ? annotationsNow(policy.rules, tables.entity, alert, at)
      : alert.annotations,
    startedAt,
    firedAt: alert.firedAt ?? alert.startedAt,
    ...(state === "resolved" ? { resolvedAt: alert.resolvedAt ?? at } : {}),
    ...(state === "firing" && alert.suppressed !== undefined
      ? { suppressed: suppressedText(alert.suppressed, at) }
      : {}),
    ...(mutes === undefined ? {} : { mutes }),
  };
}

function suppressedText({ reason, detail, since }: Suppression, at: Instant): string {
  const asOf = since < at && isOfThen({ reason, detail }) ? `, as of ${formatInstant(since)}` : "";
  return `${reason}${asOf}: ${detail}`;
}

/** What `inhibited_by` holds back while it fires, by rule; undefined if there is nothing. */
function mutedBy(
  { policy, state }: Draft,
  { rule, entity: { aggregator } }: Readonly<Alert>,
): Readonly<Record<string, number>> | undefined {
  const inhibited = policy.rules.values().filter(({ inhibitedBy }) => inhibitedBy.includes(rule));
  const names = new Set(inhibited.map(({ alert }) => alert).filter((name) => name !== rule));
  if (names.size === 0) return undefined;
  const counts: Record<string, number> = {};
  for (const other of state.tables.alert.values()) {
    if (other.state === "resolved" || other.entity.aggregator !== aggregator) continue;
    if (names.has(other.rule)) counts[other.rule] = (counts[other.rule] ?? 0) + 1;
  }
  return Object.keys(counts).length === 0 ? undefined : counts;
}

/** With the alert as it is now if the same run still fires, so that what waited for long is sent up to date. */
export function refreshed<Own extends Notification>(
  draft: Draft,
  notification: Own,
): Own | AlertNotification {
  if (notification.type !== "alert" || notification.state !== "firing") return notification;
  const alert = draft.state.tables.alert.get(notification.key);
  const isSame = alert?.state === "firing" && alert.startedAt === notification.startedAt;
  return isSame ? alertNotification(draft, alert, "firing") : notification;
}

/** With the labels of another notification of the same alert: by others a receiver would take it for another alert. */
export function labelledAs(
  notification: AlertNotification,
  { labels, severity }: AlertNotification,
): AlertNotification {
  return { ...notification, labels, severity };
}

/** The same run of an alert, at its end. */
export function resolvedNotification(
  notification: AlertNotification,
  at: Instant,
): AlertNotification {
  const { suppressed: _, mutes: __, ...rest } = notification;
  return { ...rest, state: "resolved", resolvedAt: at };
}
