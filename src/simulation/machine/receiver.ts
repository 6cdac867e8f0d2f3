import type { Clock } from "../../domain/time.ts";
import { NO_NOTIFICATIONS, type NotifySettings } from "../../config/settings/resolve-notify.ts";
import { TOPICS } from "../../domain/notification.ts";
import { webhook } from "../../notifiers/webhook.ts";
import { THROUGH_THE_PROXY, type Server } from "./network.ts";
import type { DeliveredAlert, RunEvent } from "../run-event.ts";

/**
 * The receiver of notifications: one webhook, whatever the config says. It accepts every request and
 * remembers none: the checkers do.
 */

/** No aggregator has this name, so the way to the receiver can have network faults of its own. */
export const RECEIVER = "the receiver";

/** As with the aggregators, no host can have this name. */
const URL_OF_IT = "http://receiver.invalid";

export const NOTIFIES_THE_RECEIVER: NotifySettings = {
  ...NO_NOTIFICATIONS,
  channels: [
    {
      notifier: webhook,
      policy: {
        name: "receiver",
        type: webhook.name,
        topics: TOPICS,
        leastSeverity: "info",
        match: {},
        most: webhook.most,
        grouping: webhook.grouping,
      },
      url: `${URL_OF_IT}/told`,
      secrets: {},
      options: {},
      auth: { type: "none" },
      route: THROUGH_THE_PROXY,
      body: undefined,
    },
  ],
};

export function createReceiver(clock: Clock, observe: (seen: RunEvent) => void): Server {
  return {
    name: RECEIVER,
    baseUrl: URL_OF_IT,
    handle: ({ body }, sentAt) => {
      observe({ type: "delivered", at: clock.now(), sentAt, alerts: alertsIn(body ?? "") });
      return { outcome: "answered", status: 200, headers: {}, body: "{}", delayMs: 0 };
    },
  };
}

/** The part of a webhook's default body that is read. */
type Body = {
  readonly notifications: ReadonlyArray<{
    readonly key: string;
    readonly type: string;
    readonly state: string;
    readonly starts_at: string;
  }>;
};

function alertsIn(body: string): DeliveredAlert[] {
  return (JSON.parse(body) as Body).notifications.flatMap(({ key, type, state, starts_at }) =>
    type === "alert" ? [{ key, state, firedAt: Date.parse(starts_at) }] : [],
  );
}
