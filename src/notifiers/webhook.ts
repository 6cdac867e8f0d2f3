import { z } from "zod";
import type { Batch, BatchItem, Notification } from "../domain/notification.ts";
import { notificationLabels, TOPICS } from "../domain/notification.ts";
import type { Json } from "../domain/result.ts";
import { formatInstant } from "../domain/time.ts";
import { credential, secretKeys } from "../schema/credential.ts";
import { field } from "../schema/fields.ts";
import {
  LONGEST_WORD,
  UNRECORDED,
  type BodyWords,
  type Notifier,
  type NotifyContext,
} from "./notifier.ts";
import { firstOf } from "./plain-message.ts";
import {
  annotationsOf,
  commandBelow,
  highestSeverity,
  isCutProposal,
  linkTo,
  notificationLine,
  plain,
  shortKey,
  stateOf,
  titleOf,
} from "./wording.ts";

/** A POST of JSON to any URL, with the default body or the operator's own. */
export const webhook = {
  name: "webhook",
  key: "webhooks",
  means: "Any HTTP endpoint that takes JSON, with the default body or one of your own.",
  example:
    '{ name: chat, url_env: CHAT_URL, tells: [alerts, kill], body: { room: ops, text: "{{ notification.text }}" } }',
  topics: TOPICS,
  most: 100,
  grouping: "any",
  settings: {
    ...secretKeys("url", "the URL"),
    auth: credential.prefault({}),
    body: field(
      z.record(z.string(), z.unknown()),
      "map",
      "The JSON body; its texts may hold `{{ CEL }}`. Default: the body in docs/notifications.md.",
    ).optional(),
  },
  request: (batch, { url, headers, body }, context) => ({
    url,
    headers,
    body: body === undefined ? defaultBody(batch, context) : body(bodyWords(batch, context)),
  }),
} as const satisfies Notifier;

function defaultBody(batch: Batch, context: NotifyContext): Json {
  return {
    version: "1",
    channel: batch.channel,
    sent_at: formatInstant(batch.at),
    state: batchState(batch),
    title: titleOf(batch),
    page_url: context.pageUrl ?? null,
    recorded: !context.unrecorded,
    behind: batch.behind,
    notifications: batch.items.map((item) => itemBody(item, context)),
  };
}

function itemBody(
  { subject, notification, since, superseded }: BatchItem,
  context: NotifyContext,
): Json {
  const isAlert = notification.type === "alert";
  const text = notificationLine(notification);
  const command = isAlert || isCutProposal(notification, text) ? undefined : notification.command;
  return {
    key: keyOf(subject),
    type: isAlert ? "alert" : "event",
    state: stateOf(notification),
    severity: notification.severity,
    labels: texts(notificationLabels(notification)),
    annotations: isAlert ? texts(annotationsOf(notification, context.pageUrl)) : {},
    text,
    starts_at: formatInstant(isAlert ? notification.firedAt : notification.at),
    ends_at:
      isAlert && notification.resolvedAt !== undefined
        ? formatInstant(notification.resolvedAt)
        : null,
    mutes: isAlert ? (notification.mutes ?? null) : null,
    suppressed: isAlert ? (notification.suppressed ?? null) : null,
    command: command ?? null,
    link: linkTo(notification, context.pageUrl) || null,
    decided_at: formatInstant(since),
    superseded,
  };
}

/** A key for a subject, plain and at most 500 characters long; equal subjects have equal keys. */
function keyOf(subject: string): string {
  return shortKey(plain(subject, Infinity), 500);
}

function texts(own: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(own).map(([name, text]) => [name, plain(text, 2_000)] as const);
  return Object.fromEntries(entries);
}

/** The words for an operator's own body. */
function bodyWords(batch: Batch, context: NotifyContext): BodyWords {
  const all = batch.items.map(({ notification }) => notification);
  const lines = all.map((notification) => {
    const line = `[${stateOf(notification).toUpperCase()}] ${notificationLine(notification)}`;
    const command = notification.type === "event" ? commandBelow(notification, line) : undefined;
    return command === undefined ? line : `${line}\n${command}`;
  });
  const label = (name: string): string =>
    same(all.map((notification) => notificationLabels(notification)[name] ?? ""));
  return {
    title: titleOf(batch),
    text: firstOf(lines, context.unrecorded ? [UNRECORDED] : [], {
      longest: LONGEST_WORD,
      between: "\n",
    }),
    state: batchState(batch),
    severity: highestSeverity(all),
    aggregator: label("aggregator"),
    alertname: label("alertname"),
    entity: plain(label("entity"), 200),
    link: linkTo(all.length === 1 ? all[0] : undefined, context.pageUrl),
    count: String(all.length),
    key: same(batch.items.map(({ subject }) => keyOf(subject))),
  };
}

function batchState({ items }: Batch): string {
  const states = new Set(
    items.map(({ notification }: { readonly notification: Notification }) => stateOf(notification)),
  );
  const [only = ""] = states;
  return states.size === 1 ? only : states.has("firing") ? "firing" : "several";
}

function same(values: readonly string[]): string {
  const [first = ""] = values;
  return values.every((value) => value === first) ? first : "several";
}
