import type { ChannelSettings, NotifySettings } from "../config/settings/resolve-notify.ts";
import type {
  AlertNotification,
  Batch,
  ChannelPolicy,
  Delivery,
  Notification,
} from "../domain/notification.ts";
import { SECOND, type Instant } from "../domain/time.ts";
import { createSender } from "../io/http/http-send.ts";
import { deliver, type DeliveryWorld } from "../io/notify/deliver.ts";
import { createChannelSenders } from "./channel-senders.ts";
import { composeRequest } from "./notifying.ts";

const ONCE = { limit: 0, firstDelayMs: 0, longestDelayMs: 0 };

/**
 * Sends a notification that says that it is a test through one channel. A channel that carries alerts
 * only gets one that fires and resolves at once.
 */
export async function testChannel(
  settings: NotifySettings,
  channel: ChannelSettings,
  { clock, signal, redact }: Pick<DeliveryWorld, "clock" | "signal" | "redact">,
): Promise<Delivery | undefined> {
  const senders = createChannelSenders({ settings: () => settings, createSender, clock });
  const sender = senders.of(channel.policy.name);
  const world = { sender, clock, random: Math.random, redact, signal };
  let last: Delivery | undefined;
  try {
    for (const notification of testNotifications(channel, clock.now())) {
      const batch = batchOf(channel.policy, notification, clock.now());
      last = await deliver(() => composeRequest(settings, channel, batch, false), world, ONCE);
      if (last?.outcome !== "delivered") break;
    }
    return last;
  } finally {
    senders.close();
  }
}

const TITLE = "This is a test of aggwatch's notifications";
const DETAIL = "nothing is wrong, and nothing has to be done";

function testNotifications({ notifier }: ChannelSettings, at: Instant): Notification[] {
  if (notifier.topics.some((topic) => topic !== "alerts")) {
    const about = { topic: "kill", word: "test", severity: "info" } as const;
    const labels = { alertname: "AggwatchTest" };
    return [{ type: "event", ...about, at, labels, title: TITLE, detail: DETAIL }];
  }
  const firing: AlertNotification = {
    type: "alert",
    state: "firing",
    isTest: true,
    key: "AggwatchTest",
    rule: "AggwatchTest",
    severity: "info",
    entity: { aggregator: "aggwatch", kind: "test", id: "notifications" },
    labels: {},
    annotations: { summary: TITLE, description: `${TITLE}: ${DETAIL}.` },
    startedAt: at,
    firedAt: at,
  };
  return [firing, { ...firing, state: "resolved", resolvedAt: at + SECOND }];
}

function batchOf({ name }: ChannelPolicy, notification: Notification, at: Instant): Batch {
  const isFiring = notification.type === "alert" && notification.state === "firing";
  return {
    channel: name,
    at,
    items: [{ subject: "alert AggwatchTest", notification, number: 1, since: at, superseded: 0 }],
    firing: isFiring ? { total: 1, some: [notification] } : { total: 0, some: [] },
    behind: 0,
  };
}
