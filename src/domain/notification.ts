import type { Alert } from "./alert.ts";
import type { Severity } from "./shown/severity.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * Notification: what a channel sends to people. Channel: one receiver, such as one Alertmanager.
 * Topic: what a notification is about.
 */

export const TOPICS = ["alerts", "remediations", "holds", "kill"] as const;
export type Topic = (typeof TOPICS)[number];

/** A copy of the state of an alert, as the alert itself may change later. */
export type AlertNotification = Readonly<
  Pick<Alert, "key" | "rule" | "severity" | "entity" | "labels" | "annotations" | "startedAt">
> & {
  readonly type: "alert";
  readonly state: "firing" | "resolved";
  readonly firedAt: Instant;
  readonly resolvedAt?: Instant;
  /** Why no remediation is sent, if a guard holds it back. */
  readonly suppressed?: string;
  /** By rule, how many pending or firing alerts are not sent while this one fires. */
  readonly mutes?: Readonly<Record<string, number>>;
  /** It is sent to try a channel: nothing is known of it. */
  readonly isTest?: true;
};

export const EVENT_WORDS = [
  "proposed",
  "denied",
  "expired",
  "withdrawn",
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

/** Something that happened, and is notified once. */
export type EventNotification = {
  readonly type: "event";
  readonly topic: Exclude<Topic, "alerts">;
  readonly word: EventWord;
  readonly severity: Severity;
  readonly at: Instant;
  /** Labels of its subject: aggregator, kind, entity, alertname, action. Some events have none. */
  readonly labels: Readonly<Record<string, string>>;
  readonly title: string;
  readonly detail: string;
  /** The command with which a person may react. */
  readonly command?: string;
};

export type Notification = AlertNotification | EventNotification;

/** As in Prometheus: the labels of the rule, and those of the subject, which take precedence. */
export function notificationLabels(notification: Notification): Readonly<Record<string, string>> {
  if (notification.type === "event")
    return { ...notification.labels, severity: notification.severity };
  const { aggregator, kind, id } = notification.entity;
  const own = {
    alertname: notification.rule,
    severity: notification.severity,
    aggregator,
    kind,
    entity: id,
  };
  return { ...notification.labels, ...own };
}

/**
 * A row of the outbox: the notification on one subject that waits for a channel, and the last that was
 * delivered. There is one row for each subject, so a newer notification replaces one that still waits.
 */
export type OutboxRow = {
  readonly channel: string;
  /** `alert KEY`, `remediation ID` … */
  readonly subject: string;
  waiting?: WaitingNotification;
  /** The last notification of an alert that the receiver accepted. */
  told?: { readonly news: AlertNotification; readonly at: Instant };
};

/** Its keys, and those of the row, are as in the journal. */
export type WaitingNotification = {
  readonly news: Notification;
  /** The order in which they are sent; no two have the same. */
  readonly number: number;
  /** When the first of what this stands for was decided. */
  readonly since: Instant;
  /** How many undelivered notifications it replaced. */
  readonly superseded: number;
  /** It was sent at least once, so that the receiver may know of it. */
  tried?: boolean;
  /** Refused by the receiver, and not sent again before. */
  notBefore?: Instant;
};

/** The name, and the key, of the alert that always fires, so that its absence means that aggwatch is gone. */
export const WATCHDOG = "Watchdog";

/** What is sent in one request. */
export type Batch = {
  readonly channel: string;
  /** The unit of senders that sends it; undefined if `home` does, or there are no units. */
  readonly unit?: string | undefined;
  readonly at: Instant;
  readonly items: readonly BatchItem[];
  /** Alerts that fire, of the same rule and aggregator as the items, once these are delivered. */
  readonly firing: { readonly total: number; readonly some: readonly AlertNotification[] };
  /** How many notifications still wait in the channel after these. */
  readonly behind: number;
};

export type BatchItem = {
  readonly subject: string;
  readonly notification: Notification;
  /** Undefined if it is sent again without a change. */
  readonly number?: number;
  readonly since: Instant;
  readonly superseded: number;
};

/**
 * The outcome of a batch:
 *
 * - `delivered`: the receiver accepted it.
 * - `failed`: a retry may help: no connection, a time-out, 429, 5xx.
 * - `refused`: the receiver cannot process this very message, or counts any as invalid: 400, 413, 422.
 * - `denied`: it accepts nothing until a person changes something: 401, 403, 404, a redirect.
 * - `unwritten`: aggwatch cannot write it, so nothing was sent, and nothing is known about the receiver.
 */
export const DELIVERY_OUTCOMES = ["delivered", "failed", "refused", "denied", "unwritten"] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export type Delivery = {
  readonly outcome: DeliveryOutcome;
  /** For people; holds no secret. */
  readonly detail: string;
  readonly durationMs: Millis;
  /** How long the receiver asked us to wait. */
  readonly retryAfterMs?: Millis;
};

/** A channel as the core knows it: what is sent to it, and how much at once. */
export type ChannelPolicy = {
  readonly name: string;
  /** The notifier's name. */
  readonly type: string;
  readonly topics: readonly Topic[];
  readonly leastSeverity: Severity;
  readonly match: Readonly<Record<string, string>>;
  /** The most notifications in one request. */
  readonly most: number;
  /** `rule`: a request holds alerts of one rule on one aggregator only. */
  readonly grouping: "any" | "rule";
  /** How often all that fires, and for a while what has resolved, is sent again; undefined: never. */
  readonly resendMs?: Millis;
  /** An alert that always fires is sent with these, so that its receiver notices if aggwatch is gone. */
  readonly watchdog?: boolean;
};

/** `live`: annotations say what is true when they are sent; `frozen`: what was when the alert began to fire. */
export const ANNOTATION_MODES = ["live", "frozen"] as const;

/** Alerts of `home` that are not over, by their key; a unit of senders has alerts with the same keys. */
export type HomeAlerts = ReadonlyMap<string, Pick<Alert, "rule" | "entity" | "state">>;

export type NotifyPolicy = {
  readonly channels: readonly ChannelPolicy[];
  /** Kinds of whose alerts `home` notifies people: here they only inhibit others, and only if `home` says the same. */
  readonly leftToHome?: ReadonlySet<string> | undefined;
  /** The unit of senders that notifies, which knows nothing of what other units notify of. */
  readonly unit?: string | undefined;
  readonly suppressedAfterMs: Millis;
  readonly annotations: (typeof ANNOTATION_MODES)[number];
};

export const NO_CHANNELS: NotifyPolicy = {
  channels: [],
  suppressedAfterMs: 0,
  annotations: "live",
};
