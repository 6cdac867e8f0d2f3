import type { ChannelSettings, NotifySettings } from "../config/settings/resolve-notify.ts";
import type { Batch, Delivery } from "../domain/notification.ts";
import type { Event } from "../domain/step.ts";
import type { Clock, Millis } from "../domain/time.ts";
import type { CreateSender } from "../io/http/http-send.ts";
import { createChannelSenders } from "./channel-senders.ts";
import { deliver } from "../io/notify/deliver.ts";
import type { Redactor } from "../io/redact/redactor.ts";
import type { NotifierRequest } from "../notifiers/notifier.ts";
import { revealDestination } from "./notify-destination.ts";

/** Sends the batches that the core asks for, one of a channel at a time, and pushes what came of each. */
export type Notifying = {
  readonly perform: (batch: Batch) => void;
  /** Waits for the batches under way, but not for long: what was not delivered waits on disk. */
  readonly stop: () => Promise<void>;
};

export type NotifyingWorld = {
  /** Those in force now. */
  readonly settings: () => NotifySettings;
  readonly push: (event: Event) => void;
  /** Whether the journal can be written just now. */
  readonly isRecorded: () => boolean;
  /** Another replica is the owner, and notifies of what is in the journal: from then on nothing is sent. */
  readonly isAbandoned: () => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly createSender: CreateSender;
  readonly redactor: Redactor;
  /** How long a shutdown waits for answers. */
  readonly graceMs: Millis;
};

export function createNotifying(world: NotifyingWorld): Notifying {
  const senders = createChannelSenders(world);
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();

  async function send(batch: Batch): Promise<void> {
    // The step that asks for it has not ended yet, and whether it could be committed is known only then.
    await Promise.resolve();
    const delivery = await deliver(
      () => {
        if (world.isAbandoned()) return undefined;
        const settings = world.settings();
        const channel = settings.channels.find(({ policy }) => policy.name === batch.channel);
        return channel && composeRequest(settings, channel, batch, !world.isRecorded());
      },
      {
        sender: senders.of(batch.channel),
        clock: world.clock,
        random: world.random,
        redact: world.redactor.redact,
        signal: stopping.signal,
      },
    );
    running.delete(batch.channel);
    if (!stopping.signal.aborted) {
      world.push({ type: "notified", batch, delivery: delivery ?? CHANNEL_GONE });
    }
  }

  return {
    perform: (batch) => {
      // After a bug the core may ask again while a batch is under way.
      if (running.has(batch.channel)) return;
      running.set(batch.channel, send(batch));
    },
    stop: async () => {
      const timer = setTimeout(() => stopping.abort(), world.graceMs);
      await Promise.all(running.values());
      clearTimeout(timer);
      stopping.abort();
      senders.close();
    },
  };
}

const CHANNEL_GONE: Delivery = {
  outcome: "failed",
  detail: "cancelled: the channel is not configured any more",
  durationMs: 0,
};

/** The request that a batch becomes, with the secrets of its channel. */
export function composeRequest(
  { pageUrl, resendMs }: NotifySettings,
  channel: ChannelSettings,
  batch: Batch,
  unrecorded: boolean,
): NotifierRequest {
  const context = { pageUrl, resendMs, unrecorded };
  return channel.notifier.request(batch, revealDestination(channel), context);
}
