import type { ChannelPolicy, Destination, NotifyPolicy } from "../domain/notification.ts";
import type { Millis } from "../domain/time.ts";
import { notifiersByName } from "../notifiers/index.ts";
import type { NotifierName } from "../notifiers/notifier.ts";

/** Who is told, and of what; the command line makes it from the settings. */
export type NotifySetup = {
  readonly pageUrl: string | undefined;
  readonly resendMs: Millis;
  readonly suppressedAfterMs: Millis;
  readonly channels: readonly ChannelSetup[];
};

export type ChannelSetup = Pick<ChannelPolicy, "name" | "topics" | "leastSeverity" | "match"> & {
  readonly type: NotifierName;
  readonly destination: Destination;
  /** What is never shown of it. */
  readonly secrets: readonly string[];
};

export const NOBODY_TOLD: NotifySetup = {
  pageUrl: undefined,
  resendMs: 60_000,
  suppressedAfterMs: 900_000,
  channels: [],
};

/** What the core has to know of it: nothing of where a channel is. */
export function notifyPolicyOf({ channels, ...setup }: NotifySetup): NotifyPolicy {
  return {
    suppressedAfterMs: setup.suppressedAfterMs,
    channels: channels.flatMap(({ name, type, topics, leastSeverity, match }) => {
      const notifier = notifiersByName.get(type);
      if (notifier === undefined) return [];
      const { most, grouping, resends } = notifier;
      return [
        {
          name,
          type,
          topics: topics.filter((topic) => notifier.topics.includes(topic)),
          leastSeverity,
          match,
          most,
          grouping,
          ...(resends ? { resendMs: setup.resendMs } : {}),
        },
      ];
    }),
  };
}
