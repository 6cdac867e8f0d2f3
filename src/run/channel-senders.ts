import { isDeepStrictEqual } from "node:util";
import type { NotifySettings } from "../config/settings/resolve-notify.ts";
import { SECOND, type Clock } from "../domain/time.ts";
import type { CreateSender, Sender } from "../io/http/http-send.ts";
import { openRoute, type OpenRoute } from "../io/http/route.ts";
import type { ChannelSender } from "../io/notify/deliver.ts";
import { EMAIL_TIMEOUTS, sendEmail } from "../io/notify/send-email.ts";

/** The senders of notifications: one for each channel, as each channel has a route of its own. */
type ChannelSenders = {
  /** Sends by the route that is set for the channel when a request leaves. */
  readonly of: (channel: string) => ChannelSender;
  readonly close: () => void;
};

/** How large an answer may be and how long it may take: a receiver that hangs must not hold up its channel. */
const NOTIFY_SENDER = {
  timeouts: { connectMs: 5 * SECOND, responseMs: 10 * SECOND, requestMs: 15 * SECOND },
  maxBodyBytes: 1_000_000,
  connections: 2,
  keepAlive: true,
} as const;

type Open = { readonly route: OpenRoute; readonly sender: Sender };

type ChannelSendersWorld = {
  /** Those in force now. */
  readonly settings: () => NotifySettings;
  readonly createSender: CreateSender;
  readonly clock: Clock;
};

export function createChannelSenders(world: ChannelSendersWorld): ChannelSenders {
  const { settings, createSender, clock } = world;
  const senders = new Map<string, Open>();
  const sending = new Set<string>();

  function close(name: string): void {
    senders.get(name)?.sender.close();
    senders.delete(name);
  }

  function routeOf(name: string): OpenRoute {
    const channel = settings().channels.find(({ policy }) => policy.name === name);
    return channel === undefined ? {} : openRoute(channel.route);
  }

  /** A channel sends one request at a time, so a sender with another route has nothing under way. */
  function current(name: string): Sender {
    const { channels } = settings();
    const isConfigured = (known: string): boolean =>
      channels.some(({ policy }) => policy.name === known);
    for (const known of senders.keys())
      if (!isConfigured(known) && !sending.has(known)) close(known);
    const route = routeOf(name);
    const open = senders.get(name);
    if (open !== undefined && isDeepStrictEqual(open.route, route)) return open.sender;
    close(name);
    const sender = createSender({ ...NOTIFY_SENDER, route });
    senders.set(name, { route, sender });
    return sender;
  }

  return {
    of: (channel) => ({
      send: async (outgoing, signal) => {
        const sender = current(channel);
        sending.add(channel);
        try {
          return await sender.send(outgoing, signal);
        } finally {
          sending.delete(channel);
        }
      },
      sendEmail: (request, signal) => {
        const reached = { route: routeOf(channel), timeouts: EMAIL_TIMEOUTS, at: clock.now() };
        return sendEmail(request, reached, signal);
      },
    }),
    close: () => {
      for (const name of senders.keys()) close(name);
    },
  };
}
