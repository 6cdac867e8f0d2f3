import type { Alert } from "../../domain/alert.ts";
import type { AlertNews, ChannelPolicy, EventNews, News } from "../../domain/notification.ts";
import { newsLabels, severityRank } from "../../domain/notification.ts";
import type { Finding } from "../../domain/finding.ts";
import { formatScope } from "../../domain/hold.ts";
import type { EntityId } from "../../domain/entity.ts";
import type { Remediation } from "../../domain/remediation.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";

/** What is told, in words: of an alert as it is, and of what happened. */

export function alertNews(
  alert: Readonly<Alert>,
  state: "firing" | "resolved",
  at: Instant,
): AlertNews {
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

/** The same run of an alert, at its end. */
export function resolvedNews(news: AlertNews, at: Instant): AlertNews {
  const { suppressed: _, ...rest } = news;
  return { ...rest, state: "resolved", resolvedAt: at };
}

const REMEDIATION_NEWS = {
  requested: { word: "sent", severity: "info" },
  verified: { word: "verified", severity: "info" },
  unverified: { word: "unverified", severity: "warning" },
  rejected: { word: "rejected", severity: "warning" },
} as const;

/** What became of a remediation; nothing is told of the states in between. */
export function remediationNews(remediation: Remediation, at: Instant): EventNews | undefined {
  const { state, action, entity, rule, detail, id, approvedBy } = remediation;
  if (state === "acknowledged" || state === "in_doubt") return undefined;
  const by = approvedBy === undefined || state !== "requested" ? "" : `; approved by ${approvedBy}`;
  return {
    type: "event",
    topic: "remediations",
    ...REMEDIATION_NEWS[state],
    at,
    labels: labelsOf(rule, entity, action),
    title: `${action} of ${nameOf(entity)}: ${REMEDIATION_NEWS[state].word}`,
    detail: `${id}: ${detail}${by}`,
  };
}

export function proposedNews(
  finding: Extract<Finding, { type: "proposed" }>,
  rule: string,
  expiresAt: Instant,
  at: Instant,
): EventNews {
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

export function suppressedNews(alert: Alert, action: string, at: Instant): EventNews {
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

export function holdNews(
  { hold, detail }: Extract<Finding, { type: "hold" }>,
  at: Instant,
): EventNews {
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

export function killNews(
  { source, on, detail }: Extract<Finding, { type: "kill" }>,
  at: Instant,
): EventNews {
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

/** Whether a channel wants to be told. A label that the news cannot have does not exclude it. */
export function isWanted(channel: ChannelPolicy, news: News): boolean {
  if (!channel.topics.includes(news.type === "alert" ? "alerts" : news.topic)) return false;
  if (severityRank(news.severity) < severityRank(channel.leastSeverity)) return false;
  const labels = newsLabels(news);
  return Object.entries(channel.match).every(([name, value]) => {
    const own = labels[name];
    return own === undefined ? news.type === "event" : own === value;
  });
}

function labelsOf(rule: string, entity: EntityId, action: string): Record<string, string> {
  const { aggregator, kind, id } = entity;
  return { alertname: rule, aggregator, kind, entity: id, action };
}

function nameOf({ aggregator, kind, id }: EntityId): string {
  return `${kind} ${id} on ${aggregator}`;
}
