import { oldestIn } from "../../core/explain/status-notify.ts";
import { NOTIFIED_OUTCOMES } from "../../domain/finding.ts";
import type { Policy } from "../../domain/step.ts";
import { SECOND } from "../../domain/time.ts";
import type {
  CounterDefinition,
  GaugeDefinition,
  HistogramDefinition,
  Labels,
  MetricsSource,
} from "./definition.ts";

/** The outbox, and what became of the messages to channels. A message may hold many notifications. */

export const notifyGauges: readonly GaugeDefinition[] = [
  {
    name: "aggwatch_outbox_notifications",
    help: "Notifications that wait to be delivered to the channel.",
    labels: ["channel"],
    read: (source) =>
      perChannel(source, (name) => source.state.channels.get(name)?.waiting.size ?? 0),
  },
  {
    name: "aggwatch_outbox_oldest_timestamp_seconds",
    help: "When the oldest notification that waits for the channel was decided; absent where none waits.",
    labels: ["channel"],
    read: (source) =>
      perChannel(source, (name) => {
        const oldest = oldestIn(source.state, name);
        return oldest === undefined ? undefined : oldest / SECOND;
      }),
  },
];

export const notifyCounters: readonly CounterDefinition[] = [
  {
    name: "aggwatch_notifications_total",
    help: "Messages to channels by outcome: delivered; failed, and sent again; refused by the receiver, and given up; dropped, and never sent.",
    labels: ["channel", "outcome"],
    start: (policy) =>
      channels(policy).flatMap((labels) =>
        NOTIFIED_OUTCOMES.map((outcome) => ({ ...labels, outcome })),
      ),
    count: (finding) =>
      finding.type === "notified"
        ? { channel: finding.channel, outcome: finding.outcome }
        : undefined,
  },
];

export const notifyHistograms: readonly HistogramDefinition[] = [
  {
    name: "aggwatch_notification_duration_seconds",
    help: "How long messages that were delivered took, with the quick retries before.",
    labels: ["channel"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    start: channels,
    observe: (finding) =>
      finding.type === "notified" && finding.outcome === "delivered"
        ? [{ channel: finding.channel }, finding.durationMs / SECOND]
        : undefined,
  },
];

function channels(policy: Policy): Labels[] {
  return policy.notify.channels.map(({ name }) => ({ channel: name }));
}

function* perChannel(
  { policy }: MetricsSource,
  value: (name: string) => number | undefined,
): Generator<readonly [Labels, number]> {
  for (const { name } of policy.notify.channels) {
    const read = value(name);
    if (read !== undefined) yield [{ channel: name }, read];
  }
}
