import type { Batch, BatchItem, Notification } from "../domain/notification.ts";
import { TOPICS } from "../domain/notification.ts";
import type { Json } from "../domain/result.ts";
import { toTheSecond } from "../domain/time.ts";
import { secretKeys } from "../schema/credential.ts";
import { UNRECORDED, type Notifier, type NotifyContext } from "./notifier.ts";
import { linksOf, supersededLines } from "./plain-message.ts";
import {
  alertText,
  commandBelow,
  entityName,
  escapedWithin,
  longestOf,
  mutedText,
  openSeverity,
  plain,
  sinceText,
  stateOf,
  suppressedText,
  titleOf,
} from "./wording.ts";

/**
 * A Slack incoming webhook (docs.slack.dev, "Sending messages using incoming webhooks"). Many
 * notifications are one message with a line each; few have their details as well.
 */
export const slack = {
  name: "slack",
  key: "slack",
  means: "A Slack incoming webhook. Many at once are one message.",
  example: "{ url_file: /run/secrets/slack, min_severity: warning }",
  topics: TOPICS,
  most: 40,
  grouping: "any",
  settings: secretKeys("url", "the URL"),
  request: (batch, { url, headers }, context) => ({ url, headers, body: message(batch, context) }),
} as const satisfies Notifier;

/** Slack's limit of a section's text, in characters. */
const LONGEST_SECTION = 3_000;
/** Slack allows 50 blocks in a message, and the footer is one. */
const MOST_BLOCKS = 48;
/** The limit of an event's text, escaped: its command and links follow in the same section. */
const LONGEST_LINE = 1_600;
/** Up to this many notifications are written in full. */
const MOST_IN_FULL = 5;

function message(batch: Batch, context: NotifyContext): Json {
  const { items } = batch;
  const texts =
    items.length <= MOST_IN_FULL
      ? items.flatMap((item) => packed(inFull(item, context)))
      : packed(items.map(inShort));
  const sections = texts.slice(0, MOST_BLOCKS).map(section);
  const title = mrkdwn(titleOf(batch));
  return {
    text: title,
    attachments: [
      {
        color: colorOf(batch),
        fallback: title,
        blocks: [...sections, { type: "context", elements: [text(footer(batch, context))] }],
      },
    ],
  };
}

/** Joins lines into as few sections as possible. */
function packed(lines: readonly string[]): string[] {
  const sections: string[] = [];
  for (const line of lines) {
    const last = sections.at(-1);
    if (last !== undefined && last.length + line.length + 1 <= LONGEST_SECTION) {
      sections[sections.length - 1] = `${last}\n${line}`;
    } else sections.push(line);
  }
  return sections;
}

function inShort({ notification }: BatchItem): string {
  return lineOf(notification, 200);
}

function lineOf(notification: Notification, most: number): string {
  const what =
    notification.type === "event"
      ? escapedWithin(
          toTheSecond(plain(`${notification.title}: ${notification.detail}`, most)),
          LONGEST_LINE,
          mrkdwn,
        )
      : `*${mrkdwn(notification.rule)}* ${mrkdwn(entityName(notification))}`;
  return `\`${stateOf(notification)}\` ${what}`;
}

/** Its lines. None is longer than a section, and together they may be: names grow when they are escaped. */
function inFull(item: BatchItem, { pageUrl }: NotifyContext): string[] {
  const { notification, superseded } = item;
  // The line of an event holds its whole text, and a proposal must not be cut.
  const parts = [
    notification.type === "event"
      ? lineOf(notification, 200 + longestOf(notification))
      : inShort(item),
  ];
  if (notification.type === "alert") {
    const said = alertText(notification);
    if (said !== "") parts.push(mrkdwn(said));
    parts.push(`_${mrkdwn(sinceText(notification))}_`);
    const suppressed = suppressedText(notification, 300);
    if (suppressed !== undefined) parts.push(`not repaired: ${mrkdwn(suppressed)}`);
    const muted = mutedText(notification);
    if (muted !== "") parts.push(`not sent while it fires: ${mrkdwn(muted)}`);
  } else {
    const command = commandBelow(notification, parts.join(""));
    if (command !== undefined) parts.push(`\`${mrkdwn(command)}\``);
  }
  const links = linksOf(notification, pageUrl).map(({ url, name }) => link(url, name));
  return [...parts, ...links, ...supersededLines(superseded)];
}

function footer({ channel, behind }: Batch, context: NotifyContext): string {
  const more = behind > 0 ? `; ${behind} more follow` : "";
  const mark = context.unrecorded ? ` :warning: ${UNRECORDED}` : "";
  return `aggwatch, ${mrkdwn(channel)}${more}${mark}`;
}

const COLORS = { info: "#439fe0", warning: "#daa038", critical: "#a30200" } as const;

function colorOf(batch: Batch): string {
  const severity = openSeverity(batch);
  return severity === undefined ? "#2eb886" : COLORS[severity];
}

function section(content: string): Json {
  return { type: "section", text: text(content) };
}

/** `verbatim`: Slack turns no part of it into a link or a mention. */
function text(content: string): Json {
  return { type: "mrkdwn", text: content.slice(0, LONGEST_SECTION), verbatim: true };
}

/** Escapes Slack's three special characters, so that a text holds no link, mention or channel-wide call. */
function mrkdwn(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function link(url: string, name: string): string {
  return `<${mrkdwn(plain(url, 500)).replaceAll("|", "%7C")}|${name}>`;
}
