import type { Alert } from "../../domain/alert.ts";
import type {
  AlertNotification,
  ChannelPolicy,
  EventNotification,
  Notification,
} from "../../domain/notification.ts";
import { notificationLabels, severityRank } from "../../domain/notification.ts";
import type { Finding } from "../../domain/finding.ts";
import { formatScope } from "../../domain/hold.ts";
import type { EntityId } from "../../domain/entity.ts";
import type { Remediation } from "../../domain/remediation.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Draft } from "../draft.ts";

/** The notifications of alerts and of events, with the words that people read. */

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

const REMEDIATION_WORDS = {
  requested: { word: "sent", severity: "info" },
  verified: { word: "verified", severity: "info" },
  unverified: { word: "unverified", severity: "warning" },
  rejected: { word: "rejected", severity: "warning" },
} as const;

/** Undefined for the states between the request and its end. */
export function remediationNotification(
  remediation: Remediation,
  at: Instant,
): EventNotification | undefined {
  const { state, action, entity, rule, detail, id, approvedBy } = remediation;
  if (state === "acknowledged" || state === "in_doubt") return undefined;
  const by = approvedBy === undefined || state !== "requested" ? "" : `; approved by ${approvedBy}`;
  return {
    type: "event",
    topic: "remediations",
    ...REMEDIATION_WORDS[state],
    at,
    labels: labelsOf(rule, entity, action),
    title: `${action} of ${nameOf(entity)}: ${REMEDIATION_WORDS[state].word}`,
    detail: `${id}: ${detail}${by}`,
  };
}

export function proposalNotification(
  finding: Extract<Finding, { type: "proposed" }>,
  rule: string,
  expiresAt: Instant,
  at: Instant,
): EventNotification {
  const { action, entity, proposal } = finding;
  return {
    type: "event",
    topic: "remediations",
    word: "proposed",
    severity: "warning",
    at,
    labels: { ...labelsOf(rule, entity, action), proposal },
    title: `${action} of ${nameOf(entity)} waits for a person`,
    detail: `${proposal} expires at ${formatInstant(expiresAt)}`,
    command: `aggwatch approve ${proposal} --reason "why"`,
  };
}

export function suppressedNotification(
  alert: Alert,
  action: string,
  at: Instant,
): EventNotification {
  const { reason, detail, since } = alert.suppressed ?? { reason: "", detail: "", since: at };
  return {
    type: "event",
    topic: "remediations",
    word: "suppressed",
    severity: "warning",
    at,
    labels: { ...labelsOf(alert.rule, alert.entity, action), reason },
    title: `${action} of ${nameOf(alert.entity)} is held back (${reason})`,
    detail: `since ${formatInstant(since)}: ${detail}`,
  };
}

export function holdNotification(
  { hold, detail }: Extract<Finding, { type: "hold" }>,
  at: Instant,
): EventNotification {
  const { aggregator } = hold.scope;
  return {
    type: "event",
    topic: "holds",
    word: "hold_ends",
    severity: "warning",
    at,
    labels: { hold: hold.id, ...(aggregator === undefined ? {} : { aggregator }) },
    title: `The hold ${hold.id} of ${hold.owner} ends soon`,
    detail: `${formatScope(hold.scope)} (${hold.reason}): ${detail}`,
  };
}

export function killNotification(
  { source, on, detail }: Extract<Finding, { type: "kill" }>,
  at: Instant,
): EventNotification {
  return {
    type: "event",
    topic: "kill",
    word: on ? "kill_on" : "kill_off",
    severity: on ? "warning" : "info",
    at,
    labels: { source },
    title: on
      ? `No action is sent: the kill switch is on (${source})`
      : `The kill switch (${source}) was released`,
    detail,
  };
}

/** Whether a channel is configured for it. A label that an event does not have excludes nothing. */
export function isWanted(channel: ChannelPolicy, notification: Notification): boolean {
  if (!channel.topics.includes(notification.type === "alert" ? "alerts" : notification.topic))
    return false;
  if (severityRank(notification.severity) < severityRank(channel.leastSeverity)) return false;
  const labels = notificationLabels(notification);
  return Object.entries(channel.match).every(([name, value]) => {
    const own = labels[name];
    return own === undefined ? notification.type === "event" : own === value;
  });
}

function labelsOf(rule: string, entity: EntityId, action: string): Record<string, string> {
  const { aggregator, kind, id } = entity;
  return { alertname: rule, aggregator, kind, entity: id, action };
}

function nameOf({ aggregator, kind, id }: EntityId): string {
  return `${kind} ${id} on ${aggregator}`;
}
