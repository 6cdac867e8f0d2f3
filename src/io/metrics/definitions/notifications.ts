import { oldestIn } from "../../../core/explain/status-notify.ts";
import { NOTIFIED_OUTCOMES } from "../../../domain/finding.ts";
import { SECOND } from "../../../domain/time.ts";
import { counter, gauge, histogram } from "../builders.ts";
import type { Metric } from "../definition.ts";
import { CHANNEL, oneOf } from "../labels.ts";

/** The outbox, and the outcomes of messages to channels. A message may hold many notifications. */
export const notificationMetrics: readonly Metric[] = [
  gauge({
    name: "aggwatch_outbox_notifications",
    help: "Notifications that wait to be delivered to the channel.",
    labels: [CHANNEL],
    read: ({ policy, state }) =>
      policy.notify.channels.map(({ name }) => [
        { channel: name },
        state.channels.get(name)?.waiting.size ?? 0,
      ]),
  }),
  gauge({
    name: "aggwatch_outbox_oldest_timestamp_seconds",
    help: "When the oldest notification that waits for the channel was decided; absent if none waits.",
    labels: [CHANNEL],
    read: ({ policy, state }) =>
      policy.notify.channels.flatMap(({ name }) => {
        const oldest = oldestIn(state, name);
        return oldest === undefined ? [] : [[{ channel: name }, oldest / SECOND] as const];
      }),
  }),
  counter({
    name: "aggwatch_notifications_total",
    help: "Messages to channels by outcome: delivered; failed, and sent again; refused by the receiver, and given up; dropped, and never sent.",
    labels: [CHANNEL, oneOf("outcome", NOTIFIED_OUTCOMES)],
    from: "notified",
    labelsOf: ({ channel, outcome }) => ({ channel, outcome }),
  }),
  histogram({
    name: "aggwatch_notification_duration_seconds",
    help: "How long delivered messages took, including quick retries.",
    labels: [CHANNEL],
    from: "notified",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    sample: ({ channel, outcome, durationMs }) =>
      outcome === "delivered" ? [{ channel }, durationMs / SECOND] : undefined,
  }),
];
