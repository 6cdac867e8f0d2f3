import { TOPICS, type ChannelPolicy } from "../../../src/domain/notification.ts";
import { MINUTE } from "../../../src/domain/time.ts";

/** A channel that is sent everything, each time in one message. */
export function channel(name: string, change: Partial<ChannelPolicy> = {}): ChannelPolicy {
  return {
    name,
    type: "webhook",
    topics: TOPICS,
    leastSeverity: "info",
    match: {},
    most: 100,
    grouping: "any",
    ...change,
  };
}

/** Told again every minute, as an Alertmanager is. */
export function levelChannel(name: string, change: Partial<ChannelPolicy> = {}): ChannelPolicy {
  return channel(name, { type: "alertmanager", topics: ["alerts"], resendMs: MINUTE, ...change });
}
