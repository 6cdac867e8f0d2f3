import { TOPICS } from "../domain/notification.ts";
import { secretKeys } from "../schema/credential.ts";
import type { Notifier } from "./notifier.ts";
import { plainMessage } from "./plain-message.ts";
import { escapedWithin, openSeverity, titleOf } from "./wording.ts";

/** A webhook of Discord (docs.discord.com, "Execute Webhook"). No text can ping users. */
export const discord = {
  name: "discord",
  key: "discord",
  means: "A webhook of a Discord channel. Many at once are one message.",
  example: "{ url_file: /run/secrets/discord, min_severity: warning }",
  topics: TOPICS,
  most: 20,
  grouping: "any",
  settings: secretKeys("url", "the webhook's URL"),
  request: (batch, { url, headers }, context) => {
    const title = titleOf(batch);
    const isTitled = escaped(title).length <= LONGEST_TITLE;
    const severity = openSeverity(batch);
    return {
      url,
      headers,
      body: {
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: escapedWithin(title, LONGEST_TITLE, escaped),
            description: plainMessage(batch, context, {
              longest: LONGEST_TEXT,
              own: escaped,
              ...(isTitled && { isTitled }),
            }),
            color: severity === undefined ? GREEN : COLORS[severity],
          },
        ],
      },
    };
  },
} as const satisfies Notifier;

/** Limits of an embed's title and description, in characters. */
const LONGEST_TITLE = 256;
const LONGEST_TEXT = 4_096;

const GREEN = 0x2eb886;
const COLORS = { info: 0x439fe0, warning: 0xdaa038, critical: 0xa30200 } as const;

/** Escapes Markdown, so that no link shows a text other than its address. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*_~`|<>[\]()#]/g, String.raw`\$&`);
}
