import type { Batch, Delivery } from "../domain/notification.ts";
import type { Event } from "../domain/step.ts";
import { SECOND, type Clock } from "../domain/time.ts";
import type { CreateSender } from "../io/http/http-send.ts";
import { deliver } from "../io/notify/send.ts";
import type { NotifierRequest } from "../notifiers/notifier.ts";
import { notifiersByName } from "../notifiers/index.ts";
import type { ChannelSetup, NotifySetup } from "./notify-setup.ts";

/** Sends what the core decided to tell, one batch of a channel at a time, and brings the answer back. */
export type Notifying = {
  readonly perform: (batch: Batch) => void;
  /** Waits until nothing is under way, but not for long: what was not delivered waits on disk. */
  readonly stop: () => Promise<void>;
};

export type NotifyingWorld = {
  /** As it is in force now. */
  readonly setup: () => NotifySetup;
  readonly push: (event: Event) => void;
  /** Whether the journal can be written just now. */
  readonly isRecorded: () => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly createSender: CreateSender;
};

/** Large answers are of no interest, and a receiver that hangs must not hold up its channel. */
export const NOTIFY_SENDER = {
  timeouts: { connectMs: 5 * SECOND, responseMs: 10 * SECOND, requestMs: 15 * SECOND },
  maxBodyBytes: 1_000_000,
  connections: 2,
  keepAlive: true,
} as const;

/** How long a shutdown waits for answers. */
const ANSWERS_GET = SECOND;

export function createNotifying(world: NotifyingWorld): Notifying {
  const sender = world.createSender(NOTIFY_SENDER);
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();

  async function send(batch: Batch): Promise<void> {
    // The step that asks for it has not ended yet, and what it could not write is known only then.
    await Promise.resolve();
    const delivery = await deliver(
      {
        request: () => requestOf(world, batch),
        secrets: channelOf(world.setup(), batch)?.secrets ?? [],
        signal: stopping.signal,
      },
      { sender, clock: world.clock, random: world.random },
    );
    running.delete(batch.channel);
    if (!stopping.signal.aborted) {
      world.push({ type: "notified", batch, delivery: delivery ?? CHANNEL_GONE });
    }
  }

  return {
    perform: (batch) => {
      // After a bug the core may ask again while the answer is still to come.
      if (stopping.signal.aborted || running.has(batch.channel)) return;
      running.set(batch.channel, send(batch));
    },
    stop: async () => {
      const timer = setTimeout(() => stopping.abort(), ANSWERS_GET);
      await Promise.all(running.values());
      clearTimeout(timer);
      stopping.abort();
      sender.close();
    },
  };
}

const CHANNEL_GONE: Delivery = {
  outcome: "failed",
  detail: "cancelled: the channel is not configured any more",
  durationMs: 0,
};

export function requestOf(
  world: Pick<NotifyingWorld, "setup" | "isRecorded">,
  batch: Batch,
): NotifierRequest | undefined {
  const setup = world.setup();
  const channel = channelOf(setup, batch);
  const notifier = channel && notifiersByName.get(channel.type);
  if (channel === undefined || notifier === undefined) return undefined;
  const { pageUrl, resendMs } = setup;
  const unrecorded = !world.isRecorded();
  return notifier.request(batch, channel.destination, { pageUrl, resendMs, unrecorded });
}

function channelOf({ channels }: NotifySetup, batch: Batch): ChannelSetup | undefined {
  return channels.find(({ name }) => name === batch.channel);
}
