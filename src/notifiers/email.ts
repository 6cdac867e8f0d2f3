import type { Batch, BatchItem, Notification } from "../domain/notification.ts";
import { TOPICS } from "../domain/notification.ts";
import { severityOf } from "../domain/shown/severity.ts";
import { login } from "../schema/credential.ts";
import { emailAddress, emailAddresses, smtpUrl } from "../schema/email.ts";
import { oneOf } from "../schema/fields.ts";
import type { Notifier, NotifyContext } from "./notifier.ts";
import { footerOf, linesOf, plainMessage, type Line } from "./plain-message.ts";
import { hashOf, plain, stateOf, titleOf } from "./wording.ts";

/** An email by SMTP (RFC 5321), in plain text and in HTML. Threads are by `References` (RFC 5322, 3.6.4). */
export const email = {
  name: "email",
  key: "email",
  means: "Emails by SMTP. Many at once are one; firing and resolved are one thread.",
  example:
    "{ url: smtp://smtp.example, from: aggwatch@example.com, to: [ops@example.com], auth: { type: basic, username: aggwatch, password_file: /run/secrets/smtp } }",
  topics: TOPICS,
  most: 50,
  grouping: "any",
  settings: {
    url: smtpUrl(
      "The server: `smtp://HOST` for STARTTLS (port 587 unless given), `smtps://HOST` for TLS from the start (465).",
    ),
    from: emailAddress("Who sends them."),
    to: emailAddresses("Who gets them."),
    auth: login.prefault({}),
    starttls: oneOf(
      ["required", "optional"],
      "`optional`: emails go in the clear if the server of an `smtp:` URL offers no TLS.",
    ).prefault("required"),
  },
  request: (batch, { url, options, login: user }, context) => {
    const from = options["from"] ?? "";
    const id = (text: string): string => `<${hashOf(text)}.aggwatch@${from.split("@")[1] ?? ""}>`;
    return {
      url,
      envelope: {
        from,
        to: (options["to"] ?? "").split(","),
        isTlsRequired: options["starttls"] !== "optional",
        login: user,
      },
      body: {
        subject: plain(titleOf(batch), LONGEST_SUBJECT),
        text: plainMessage(batch, context, { longest: LONGEST_TEXT }),
        html: htmlOf(batch, context),
        message_id: id(contentOf(batch)),
        references: [...new Set(batch.items.map(threadOf))].slice(0, MOST_THREADS).map(id),
      },
    };
  },
} as const satisfies Notifier;

const LONGEST_SUBJECT = 200;
/** In characters: more than people read, and less than any server refuses. */
const LONGEST_TEXT = 50_000;
/** More would exceed the length that some servers allow for a header. */
const MOST_THREADS = 20;

/** Identifies a message. The number alone is not enough: a channel that starts again counts from one. */
function contentOf({ channel, items }: Batch): string {
  const parts = items.map(({ subject, notification, number, since }) => [
    subject,
    stateOf(notification),
    number,
    since,
  ]);
  return JSON.stringify([channel, parts]);
}

/**
 * A thread: one run of an alert, or the remediations of one entity by one rule. A proposal knows nothing of the
 * remediation that it becomes, so their labels join them. No message has this id itself.
 */
function threadOf({ subject, notification }: BatchItem): string {
  if (notification.type === "alert")
    return JSON.stringify([notification.key, notification.startedAt]);
  const { alertname, aggregator, kind, entity, action } = notification.labels;
  return action === undefined
    ? subject
    : JSON.stringify([alertname, aggregator, kind, entity, action]);
}

function htmlOf(batch: Batch, context: NotifyContext): string {
  const items = batch.items.map((item) => {
    const { notification } = item;
    const state = `<strong style="color:${colorOf(notification)}">${stateOf(notification).toUpperCase()}</strong>`;
    const [first, ...others] = linesOf(item, context);
    return `<p>${state} ${[first, ...others].map(lineOf).join("<br>\n")}</p>`;
  });
  const footer = [`aggwatch, ${batch.channel}`, ...footerOf(batch, context)];
  return `<!doctype html>
<html><body style="font-family:sans-serif">
${items.join("\n")}
<p style="color:#666">${escaped(footer.join("; "))}</p>
</body></html>
`;
}

function lineOf(line: Line): string {
  if (typeof line === "string") return escaped(line);
  return "url" in line ? `<a href="${escaped(line.url)}">${line.name}</a>` : escaped(line.ours);
}

function colorOf(notification: Notification): string {
  if (stateOf(notification) === "resolved") return "#1a7f4b";
  return COLORS[severityOf(notification.severity)];
}

const COLORS = { info: "#1f6feb", warning: "#9a6700", critical: "#a30200" } as const;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
