import { TOPICS } from "../domain/notification.ts";
import { secretKeys } from "../schema/credential.ts";
import { text } from "../schema/fields.ts";
import { httpUrl } from "../schema/url.ts";
import type { Notifier } from "./notifier.ts";
import { plainMessage } from "./plain-message.ts";

/**
 * Telegram's Bot API, `sendMessage` (core.telegram.org/bots/api): plain text, so nothing in it is markup. Mentions, links,
 * commands and hashtags are found in it all the same.
 */
export const telegram = {
  name: "telegram",
  key: "telegram",
  means: "A chat of Telegram, by a bot. Many at once are one message.",
  example: '{ token_file: /run/secrets/telegram, chat_id: "-1001234567890" }',
  topics: TOPICS,
  most: 20,
  grouping: "any",
  settings: {
    ...secretKeys("token", "the bot's token"),
    chat_id: text('The chat\'s id, or its `@name`; in quotes, such as "-1001234567890".'),
    url: httpUrl("Where the Bot API is; another one for a server of your own.").prefault(
      "https://api.telegram.org",
    ),
  },
  request: (batch, { url, headers, secrets, options }, context) => ({
    url: `${url.replace(/\/+$/, "")}/bot${encodeURIComponent(secrets["token"] ?? "").replaceAll("%3A", ":")}/sendMessage`,
    headers,
    body: {
      chat_id: options["chat_id"] ?? "",
      text: plainMessage(batch, context, { longest: LONGEST_TEXT, own: inert }),
      link_preview_options: { is_disabled: true },
    },
  }),
} as const satisfies Notifier;

/** The limit of a message, in characters. */
const LONGEST_TEXT = 4_096;

/** What begins a mention, a hashtag, a command, the address after a scheme, and the next part of a domain or an IP. */
const BEGINNINGS =
  /[@#](?=[\p{L}\p{N}_])|(?<![\p{L}\p{N}_])\/(?=[\p{L}\p{N}_/])|\.(?=\p{L}|\d+\.\d)/gu;

/** Parts them by an invisible character, so that no name notifies anyone or is a link. */
function inert(text: string): string {
  return text.replaceAll(BEGINNINGS, "$&\u2060");
}
