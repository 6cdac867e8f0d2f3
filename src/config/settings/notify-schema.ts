import { z } from "zod";
import { CHANNEL_SEVERITIES, TOPICS } from "../../domain/notification.ts";
import { credential } from "../../schema/credential.ts";
import { duration, field, oneOf, orText, refuse, text } from "../../schema/fields.ts";
import { heartbeatSchema } from "./heartbeat-schema.ts";

/** The shape of `notify`: who is told, and of what. */

const httpUrl = (means: string) =>
  field(
    z.string().superRefine((value, context) => {
      const url = URL.parse(value);
      if (url === null || !/^https?:$/.test(url.protocol))
        refuse(context, "is not an http or https URL", "as http://127.0.0.1:9093");
      else if (url.username !== "" || url.password !== "")
        refuse(context, "holds a user name or password", "use auth, with a file or a variable");
    }),
    "text",
    means,
  );

const name = field(
  z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, {
    error: "must be of lower-case letters, digits, dots, dashes and underscores",
  }),
  "text",
  "The channel in metrics and logs, and the key of what waits for it. Default: its type.",
);

const topics = field(
  z.array(z.enum(TOPICS)).min(1, "must name a topic at least"),
  "list",
  `What it is told of: ${TOPICS.join(", ")}.`,
);

/** What every channel may say of what it wants. */
const wanted = {
  name: name.optional(),
  min_severity: oneOf(
    CHANNEL_SEVERITIES,
    "Nothing less severe is told. A severity that is not in this list counts as `critical`.",
  ).prefault("info"),
  match: field(
    z.record(z.string().min(1), z.string()),
    "map",
    "Labels that an alert must have, as `{ aggregator: bsc-mainnet }`.",
  ).prefault({}),
};

/** A URL that whoever knows it may post to, so it is a secret. */
const secretUrl = {
  url_file: text("A file that holds the URL, which is a secret.").optional(),
  url_env: text("An environment variable that holds the URL.").optional(),
};

const alertmanagerSchema = z.strictObject({
  url: httpUrl("Its base URL."),
  ...wanted,
  auth: credential("a notification").prefault({}),
});

const webhookSchema = z.strictObject({
  ...secretUrl,
  ...wanted,
  tells: topics.prefault([...TOPICS]),
  auth: credential("a notification").prefault({}),
  body: field(
    z.record(z.string(), z.unknown()),
    "map",
    "The JSON body; its texts may hold `{{ CEL }}`. Default: the body in docs/notifications.md.",
  ).optional(),
});

const slackSchema = z.strictObject({
  ...secretUrl,
  ...wanted,
  tells: topics.prefault([...TOPICS]),
});

const pagerdutySchema = z.strictObject({
  routing_key_file: text("A file that holds the integration's routing key.").optional(),
  routing_key_env: text("An environment variable that holds the routing key.").optional(),
  url: httpUrl("Where events go; another one for PagerDuty's EU region.").prefault(
    "https://events.pagerduty.com/v2/enqueue",
  ),
  ...wanted,
});

export const notifySchema = z.strictObject({
  heartbeat: heartbeatSchema.optional(),
  page_url: httpUrl(
    "How people reach the page of this aggwatch, for links. Without it there are none.",
  ).optional(),
  resend_interval: duration(
    "How often an Alertmanager is told again of what still fires. It takes an alert for resolved after four.",
  ).prefault("1m"),
  suppressed_after: duration(
    "A remediation that a guard has held back for this long is told.",
  ).prefault("15m"),
  alertmanagers: field(
    z.array(orText("url", alertmanagerSchema)),
    "list",
    "Alertmanagers: URLs, or `{ url, name, auth, min_severity, match }`. Each is told.",
  ).prefault([]),
  webhooks: z.array(webhookSchema).prefault([]),
  slack: z.array(slackSchema).prefault([]),
  pagerduty: z.array(pagerdutySchema).prefault([]),
});

export type NotifyText = z.output<typeof notifySchema>;
