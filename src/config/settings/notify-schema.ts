import { z } from "zod";
import { SECOND } from "../../domain/time.ts";
import { ANNOTATION_MODES, TOPICS, type Topic } from "../../domain/notification.ts";
import { SEVERITIES } from "../../domain/shown/severity.ts";
import { notifiers, type NotifierKey } from "../../notifiers/index.ts";
import type { ChannelKeys, Notifier } from "../../notifiers/notifier.ts";
import { secretKeys } from "../../schema/credential.ts";
import { duration, field, listOf, oneOf, orText, truth } from "../../schema/fields.ts";
import { routeKeys } from "../../schema/route.ts";

/** The shape of `notify`: the channels, each with the keys of its notifier, and the heartbeat. */

/** The keys of every channel. */
const sharedKeys = {
  name: field(
    z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, {
      error: "must be of lower-case letters, digits, dots, dashes and underscores",
    }),
    "text",
    "The channel in metrics and logs, and the key of what waits for it. Default: its type.",
  ).optional(),
  min_severity: oneOf(
    SEVERITIES,
    "Nothing less severe is sent. A severity that is not in this list counts as `critical`.",
  ).prefault("info"),
  match: field(
    z.record(z.string().min(1), z.string()),
    "map",
    "Labels that an alert must have, such as `{ aggregator: bsc-mainnet }`.",
  ).prefault({}),
  ...routeKeys,
};

/** The key of channels whose notifier can express several topics. */
const topicKeys = {
  tells: field(
    z.array(z.enum(TOPICS)).min(1, "must name a topic at least"),
    "list",
    `The topics that it is notified of: ${TOPICS.join(", ")}.`,
  ).prefault([...TOPICS]),
};

/** What is written of a channel, whatever its notifier. */
export type ChannelText = {
  readonly [Key in keyof typeof sharedKeys]: z.output<(typeof sharedKeys)[Key]>;
} & { readonly [Key in keyof ChannelKeys]?: z.output<NonNullable<ChannelKeys[Key]>> } & {
  readonly tells?: readonly Topic[];
};

function channelsSchema({ settings, topics, isUrlEnough }: Notifier): z.ZodType<ChannelText[]> {
  const hasTopics = topics.length > 1;
  const shape = { ...settings, ...sharedKeys, ...(hasTopics ? topicKeys : {}) };
  const channel = z.strictObject(shape) as unknown as z.ZodType<ChannelText>;
  if (isUrlEnough !== true) return z.array(channel);
  const means = `URLs, or \`{ ${Object.keys(shape).join(", ")} }\`. Each is notified.`;
  return listOf(orText("url", channel), means);
}

const channelLists = Object.fromEntries(
  notifiers.map((notifier) => [notifier.key, channelsSchema(notifier).prefault([])]),
) as Readonly<Record<NotifierKey, z.ZodPrefault<z.ZodType<ChannelText[]>>>>;

/** A dead man's switch that is pinged as long as the work is being done. */
const heartbeatSchema = z.strictObject({
  ...secretKeys("url", "the URL to ping"),
  ...routeKeys,
  every: duration("How often it is pinged, while all is well.", "positive", SECOND).prefault("1m"),
  timeout: duration("How long its answer may take.").prefault("10s"),
  needs_notifier: truth(
    "`true`: withheld also while something has waited in every channel for longer than five minutes.",
  ).prefault(false),
});

export const notifySchema = z.strictObject({
  heartbeat: heartbeatSchema.optional(),
  resend_interval: duration(
    "How often firing alerts are sent again to an Alertmanager, which takes one for resolved after four intervals, or a quarter of an hour if that is longer.",
  ).prefault("1m"),
  annotations: oneOf(
    ANNOTATION_MODES,
    "`live`: annotations are made again each time they are sent, as in Prometheus; `frozen`: they stay as they were when the alert began to fire, or its facts last changed.",
  ).prefault("live"),
  suppressed_after: duration(
    "Notifies of a remediation that a guard has held back for this long.",
  ).prefault("15m"),
  ...channelLists,
});

export type NotifyText = z.output<typeof notifySchema>;
