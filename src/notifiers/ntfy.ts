import { TOPICS, severityRank } from "../domain/notification.ts";
import { credential, secretKeys } from "../schema/credential.ts";
import { httpUrl } from "../schema/url.ts";
import type { Notifier } from "./notifier.ts";
import { plainMessage } from "./plain-message.ts";
import { highestSeverity, linkTo, stateOf, titleOf } from "./wording.ts";

/** ntfy, "Publish as JSON" (docs.ntfy.sh/publish). On a public server whoever knows the topic may read it. */
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
    auth: credential("a notification").prefault({}),
  },
  request: (batch, { url, headers, secrets }, context) => {
    const all = batch.items.map(({ notification }) => notification);
    const open = all.filter((notification) => stateOf(notification) !== "resolved");
    const page = linkTo(all.length === 1 ? all[0] : undefined, context.pageUrl);
    return {
      url,
      headers,
      body: {
        topic: secrets["topic"] ?? "",
        title: titleOf(batch),
        message: plainMessage(batch, context, LONGEST_TEXT),
        priority: open.length === 0 ? 3 : severityRank(highestSeverity(open)) + 3,
        tags: [open.length === 0 ? "white_check_mark" : "rotating_light"],
        ...(page === "" ? {} : { click: page }),
      },
    };
  },
} as const satisfies Notifier;

/** Of 4 096 bytes; what is longer becomes an attachment. A character may take four. */
const LONGEST_TEXT = 3_800;
