import { TOPICS, type Batch } from "../domain/notification.ts";
import { credential, secretKeys } from "../schema/credential.ts";
import { httpUrl } from "../schema/url.ts";
import type { Notifier, NotifyContext } from "./notifier.ts";
import { plainMessage } from "./plain-message.ts";
import { linkTo, openSeverity, titleOf } from "./wording.ts";

/** ntfy, "Publish as JSON" (docs.ntfy.sh/publish). On a public server, anyone who knows the topic may read it. */
export const ntfy = {
  name: "ntfy",
  key: "ntfy",
  means: "A topic of ntfy, for phones. Many at once are one message.",
  example: "{ topic_env: NTFY_TOPIC, url: https://ntfy.example }",
  topics: TOPICS,
  most: 20,
  grouping: "any",
  settings: {
    ...secretKeys("topic", "the topic"),
    url: httpUrl("The server.").prefault("https://ntfy.sh"),
    auth: credential.prefault({}),
  },
  request: (batch, { url, headers, secrets }, context) => {
    const severity = openSeverity(batch);
    const [only, ...others] = batch.items;
    const page = linkTo(others.length === 0 ? only?.notification : undefined, context.pageUrl);
    return {
      url,
      headers,
      body: {
        topic: secrets["topic"] ?? "",
        title: titleOf(batch),
        message: messageOf(batch, context),
        priority: severity === undefined ? 3 : PRIORITIES[severity],
        tags: [severity === undefined ? "white_check_mark" : TAGS[severity]],
        ...(page === "" ? {} : { click: page }),
      },
    };
  },
} as const satisfies Notifier;

/** 3 is the default, also if everything is resolved; 5 wakes people up. */
const PRIORITIES = { info: 3, warning: 4, critical: 5 } as const;
/** Emojis. A siren for a resolved alert would teach people to ignore it. */
const TAGS = {
  info: "information_source",
  warning: "warning",
  critical: "rotating_light",
} as const;

/** The limit is 4 096 bytes, at up to four a character; longer messages become attachments, or are refused. */
const MOST_BYTES = 3_800;

function messageOf(batch: Batch, context: NotifyContext): string {
  let longest = MOST_BYTES;
  for (;;) {
    const text = plainMessage(batch, context, { longest, isTitled: true });
    const size = new TextEncoder().encode(text).length;
    if (size <= MOST_BYTES) return text;
    longest = Math.floor((text.length * MOST_BYTES) / size) - 1;
  }
}
