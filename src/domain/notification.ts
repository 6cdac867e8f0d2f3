import type { Alert } from "./alert.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * Notification: something that people are told through a channel. Channel: one receiver, such as one
 * Alertmanager. Topic: what a notification is about.
 */

export const TOPICS = ["alerts", "remediations", "holds", "kill"] as const;
export type Topic = (typeof TOPICS)[number];

/** From the least severe; a rule may say others, which count as the last. */
export const CHANNEL_SEVERITIES = ["info", "warning", "critical"] as const;
export type ChannelSeverity = (typeof CHANNEL_SEVERITIES)[number];

/** What an alert says of itself when it is told; a copy, as the alert lives on. */
export type AlertNews = {
  readonly type: "alert";
  readonly state: "firing" | "resolved";
  readonly key: string;
  readonly rule: string;
  readonly severity: string;
  readonly entity: Alert["entity"];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Tells one run of the alert from the next. */
  readonly startedAt: Instant;
  readonly firedAt: Instant;
  readonly resolvedAt?: Instant;
  /** Why no remediation is sent, where there is something to say. */
  readonly suppressed?: string;
};

export const EVENT_WORDS = [
  "proposed",
  "sent",
  "verified",
  "unverified",
  "rejected",
  "suppressed",
  "hold_ends",
  "kill_on",
  "kill_off",
  "test",
] as const;
export type EventWord = (typeof EVENT_WORDS)[number];

/** Something that happened, told once. */
export type EventNews = {
  readonly type: "event";
  readonly topic: Exclude<Topic, "alerts">;
  readonly word: EventWord;
  readonly severity: ChannelSeverity;
  readonly at: Instant;
  /** Of what it is about: aggregator, kind, entity, alertname, action. Some have none. */
  readonly labels: Readonly<Record<string, string>>;
  readonly title: string;
  readonly detail: string;
  /** What a person may do about it, as a command. */
  readonly command?: string;
};

export type News = AlertNews | EventNews;

/** As in Prometheus: the rule's own, and those that say what it is about, which win. */
export function newsLabels(news: News): Readonly<Record<string, string>> {
  if (news.type === "event") return { ...news.labels, severity: news.severity };
  const { aggregator, kind, id } = news.entity;
  const own = { alertname: news.rule, severity: news.severity, aggregator, kind, entity: id };
  return { ...news.labels, ...own };
}

/** A word that is not in the list counts as the most severe: in doubt, tell. */
export function severityRank(severity: string): number {
  const rank = CHANNEL_SEVERITIES.indexOf(severity as ChannelSeverity);
  return rank === -1 ? CHANNEL_SEVERITIES.length - 1 : rank;
}

/**
 * What a channel is to be told of one subject, and what it was told: a row of the outbox. There is
 * one for each, so what is newer takes the place of what is still waiting.
 */
export type Notification = {
  readonly channel: string;
  /** `alert KEY`, `remediation ID` … */
  readonly subject: string;
  waiting?: Waiting;
  /** What the channel knows of an alert, as it answered so. */
  told?: { readonly news: AlertNews; readonly at: Instant };
};

export type Waiting = {
  readonly news: News;
  /** The order in which a channel is told; no two have the same. */
  readonly number: number;
  /** When the first of what this stands for was decided. */
  readonly since: Instant;
  /** How many that were never delivered it took the place of. */
  readonly superseded: number;
  /** It was sent at least once, so that the receiver may know of it. */
  tried?: boolean;
  /** Refused by the receiver, and not sent again before. */
  notBefore?: Instant;
};

/** What is sent in one request. */
export type Batch = {
  readonly channel: string;
  readonly at: Instant;
  readonly items: readonly BatchItem[];
  /** Alerts of the same rule and aggregator as the items that fire, once these are told. */
  readonly firing: { readonly total: number; readonly some: readonly AlertNews[] };
  /** How much is still waiting in the channel after these. */
  readonly behind: number;
};

export type BatchItem = {
  readonly subject: string;
  readonly news: News;
  /** Undefined where it is told again, and nothing is new. */
  readonly number?: number;
  readonly since: Instant;
  readonly superseded: number;
};

/**
 * What came of a batch:
 *
 * - `delivered`: the receiver took it.
 * - `failed`: it may pass by itself: no connection, a time-out, 429, 5xx.
 * - `refused`: the receiver cannot take this very message: 400, 413, 422.
 * - `denied`: it takes nothing from us until somebody changes something: 401, 403, 404, a redirect.
 */
export const DELIVERY_OUTCOMES = ["delivered", "failed", "refused", "denied"] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export type Delivery = {
  readonly outcome: DeliveryOutcome;
  /** For people; holds no secret. */
  readonly detail: string;
  readonly durationMs: Millis;
  /** How long the receiver asked us to wait. */
  readonly retryAfterMs?: Millis;
};

/** A channel as the core knows it: what it wants, and how much it takes at once. */
export type ChannelPolicy = {
  readonly name: string;
  /** The notifier's name. */
  readonly type: string;
  readonly topics: readonly Topic[];
  readonly leastSeverity: ChannelSeverity;
  readonly match: Readonly<Record<string, string>>;
  /** The most notifications in one request. */
  readonly most: number;
  /** `rule`: a request holds alerts of one rule on one aggregator only. */
  readonly grouping: "any" | "rule";
  /** Told again, this often, of all that fires, and for a while of what has resolved. */
  readonly resendMs?: Millis;
};

export type NotifyPolicy = {
  readonly channels: readonly ChannelPolicy[];
  readonly suppressedAfterMs: Millis;
};

export const NO_CHANNELS: NotifyPolicy = { channels: [], suppressedAfterMs: 0 };
