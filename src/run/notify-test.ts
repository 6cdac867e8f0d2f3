import type { AlertNews, Batch, Delivery, News } from "../domain/notification.ts";
import { SECOND, type Clock, type Instant } from "../domain/time.ts";
import { createSender } from "../io/http/http-send.ts";
import { deliver } from "../io/notify/send.ts";
import { NOTIFY_SENDER, requestOf } from "./notifying.ts";
import type { ChannelSetup, NotifySetup } from "./notify-setup.ts";

/**
 * A notification that says that it is a test, through one channel. What knows alerts only is told of
 * one that fires and resolves at once.
 */
export async function testChannel(
  setup: NotifySetup,
  channel: ChannelSetup,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Delivery | undefined> {
  const sender = createSender(NOTIFY_SENDER);
  const world = { sender, clock, random: Math.random };
  const source = { setup: () => setup, isRecorded: () => true };
  let last: Delivery | undefined;
  try {
    for (const news of newsOf(channel, clock.now())) {
      const batch = batchOf(channel, news, clock.now());
      const request = () => requestOf(source, batch);
      const mail = { request, secrets: channel.secrets, signal };
      last = await deliver(mail, world, { limit: 0, firstDelayMs: 0, longestDelayMs: 0 });
      if (last?.outcome !== "delivered") break;
    }
    return last;
  } finally {
    sender.close();
  }
}

const TITLE = "This is a test of aggwatch's notifications";
const DETAIL = "nothing is wrong, and nothing has to be done";

function newsOf({ type }: ChannelSetup, at: Instant): News[] {
  if (type === "webhook" || type === "slack") {
    const labels = { alertname: "AggwatchTest" };
    return [
      {
        type: "event",
        topic: "kill",
        word: "test",
        severity: "info",
        at,
        labels,
        title: TITLE,
        detail: DETAIL,
      },
    ];
  }
  const firing: AlertNews = {
    type: "alert",
    state: "firing",
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

function batchOf({ name }: ChannelSetup, news: News, at: Instant): Batch {
  const isFiring = news.type === "alert" && news.state === "firing";
  return {
    channel: name,
    at,
    items: [{ subject: "alert AggwatchTest", news, number: 1, since: at, superseded: 0 }],
    firing: isFiring ? { total: 1, some: [news] } : { total: 0, some: [] },
    behind: 0,
  };
}
