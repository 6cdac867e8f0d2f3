import type { Clock } from "../../domain/time.ts";
import type { NotifySetup } from "../../run/notify-setup.ts";
import type { Site } from "./wire.ts";
import type { DeliveredAlert, RunEvent } from "../run-event.ts";

/**
 * Who is told: one webhook, whatever the config says. It takes all that reaches it, and remembers
 * nothing: the checkers do.
 */

/** No aggregator has such a name, so that the network may have troubles of its own on the way there. */
export const RECEIVER = "the receiver";

/** As that of the models: no host of that name can be. */
const URL_OF_IT = "http://receiver.invalid";

export const TELLS_THE_RECEIVER: NotifySetup = {
  pageUrl: undefined,
  resendMs: 60_000,
  suppressedAfterMs: 900_000,
  channels: [
    {
      name: "receiver",
      type: "webhook",
      topics: ["alerts", "remediations", "holds", "kill"],
      leastSeverity: "info",
      match: {},
      destination: { url: `${URL_OF_IT}/told`, headers: {} },
      secrets: [],
    },
  ],
};

export function createReceiver(clock: Clock, witness: (seen: RunEvent) => void): Site {
  return {
    name: RECEIVER,
    baseUrl: URL_OF_IT,
    handle: ({ body }) => {
      witness({ type: "told", at: clock.now(), alerts: alertsIn(body ?? "") });
      return { outcome: "answered", status: 200, headers: {}, body: "{}", delayMs: 0 };
    },
  };
}

/** What is read of the default body of a webhook. */
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
