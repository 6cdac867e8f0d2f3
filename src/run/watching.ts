import type { Event } from "../domain/step.ts";
import type { Clock } from "../domain/time.ts";
import type { SlotFate } from "../io/metrics/registry.ts";
import { runPoll, type PollRequest } from "../io/poll-runner.ts";
import { createScheduler } from "../io/scheduler.ts";
import { createTransport, type Transport } from "../io/transport.ts";
import type { Poller } from "../pollers/poller.ts";
import { activePollers, type AggregatorSetup, type WatchdogSetup } from "./setup.ts";

/** The asking: transports, schedules and polls of every aggregator. */
export type Watching = {
  readonly start: () => void;
  /** No poll begins any more, and those under way are waited for. */
  readonly stop: () => Promise<void>;
  readonly close: () => void;
  readonly transportOf: (aggregator: string) => Transport | undefined;
  readonly probeRequest: (
    aggregator: string,
    poller: string,
    surface: string,
  ) => PollRequest | undefined;
};

export type WatchingWorld = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly push: (event: Event) => void;
  readonly countSlot: (aggregator: string, poller: string, fate: SlotFate) => void;
};

type Watched = {
  readonly setup: AggregatorSetup;
  readonly transport: Transport;
  readonly pollers: ReadonlyMap<string, { readonly poller: Poller; readonly cron: string }>;
};

export function createWatching(setup: WatchdogSetup, world: WatchingWorld): Watching {
  const watched = new Map<string, Watched>();
  for (const aggregator of setup.aggregators) {
    const transport = createTransport({
      settings: aggregator.transport,
      profile: aggregator.profile,
      clock: world.clock,
      random: Math.random,
    });
    const pollers = new Map(activePollers(aggregator).map((one) => [one.poller.name, one]));
    watched.set(aggregator.name, { setup: aggregator, transport, pollers });
  }
  const request = (
    aggregator: string,
    name: string,
    origin: "poll" | "probe",
  ): PollRequest | undefined => {
    const one = watched.get(aggregator);
    const poller = one?.pollers.get(name)?.poller;
    if (one === undefined || poller === undefined) return undefined;
    const { watch, statuses } = one.setup;
    const { clock, signal } = world;
    return { aggregator, poller, transport: one.transport, watch, statuses, clock, signal, origin };
  };
  const scheduler = createScheduler({
    schedules: [...watched].flatMap(([aggregator, { pollers }]) =>
      [...pollers].map(([poller, { cron }]) => ({ aggregator, poller, cron })),
    ),
    run: async (aggregator: string, poller: string) => {
      const poll = request(aggregator, poller, "poll");
      if (poll === undefined || world.signal.aborted) return { failed: false };
      const observation = await runPoll(poll);
      // What shutdown cut off says nothing of the aggregator.
      if (!world.signal.aborted) world.push({ type: "observed", observation });
      return { failed: observation.parts.every((part) => !part.reading.ok) };
    },
    onLostSlot: world.countSlot,
    log: setup.log,
  });
  return {
    start: scheduler.start,
    stop: scheduler.stop,
    close: () => {
      for (const { transport } of watched.values()) transport.close();
    },
    transportOf: (aggregator) => watched.get(aggregator)?.transport,
    probeRequest: (aggregator, poller, surface) => {
      const probe = request(aggregator, poller, "probe");
      return probe && { ...probe, only: surface };
    },
  };
}
