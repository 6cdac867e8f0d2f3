import type { Event } from "../domain/step.ts";
import { pollOutcome } from "../domain/observation.ts";
import { SECOND, type Clock } from "../domain/time.ts";
import type { Logger } from "../io/log.ts";
import type { SlotCounts } from "../io/metrics/slots.ts";
import { runPoll, type PollRequest } from "../io/poll-runner.ts";
import { createScheduler, type SchedulerLog } from "../io/scheduler.ts";
import { createTransport, type Transport } from "../io/transport.ts";
import type { Poller } from "../pollers/poller.ts";
import {
  activePollers,
  type AggregatorSetup,
  type PollerSetup,
  type WatchdogSetup,
} from "./setup.ts";

/** The asking: transports, schedules and polls of every aggregator. */
export type Watching = {
  readonly start: () => void;
  /** No poll begins any more, and those under way are waited for. */
  readonly stop: () => Promise<void>;
  readonly close: () => void;
  /** What became of the schedules' slots. */
  readonly slotCounts: () => SlotCounts[];
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
};

/** How long a shutdown waits for polls, which were told to stop already. */
const POLLS_GET = SECOND;

type Watched = {
  readonly setup: AggregatorSetup;
  readonly transport: Transport;
  readonly pollers: ReadonlyMap<string, { readonly poller: Poller; readonly setup: PollerSetup }>;
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
      [...pollers].map(([poller, own]) => ({ aggregator, poller, cron: own.setup.schedule })),
    ),
    run: async (aggregator: string, poller: string) => {
      const poll = request(aggregator, poller, "poll");
      if (poll === undefined || world.signal.aborted) return "complete";
      const observation = await runPoll(poll);
      // What shutdown cut off says nothing of the aggregator.
      if (!world.signal.aborted) world.push({ type: "observed", observation });
      return pollOutcome(observation.parts);
    },
    clock: world.clock,
    log: schedulerLog(setup.log),
  });
  return {
    start: () => {
      scheduler.start();
      // The first readings do not wait for the first slot.
      for (const [aggregator, { pollers }] of watched) {
        for (const poller of pollers.keys()) void scheduler.trigger(aggregator, poller);
      }
    },
    stop: async () => {
      await scheduler.stop(POLLS_GET);
    },
    slotCounts: () =>
      [...watched].flatMap(([aggregator, { pollers }]) =>
        [...pollers.keys()].map((poller) => ({
          aggregator,
          poller,
          counts: scheduler.counts(aggregator, poller),
        })),
      ),
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

function schedulerLog(log: Logger): SchedulerLog {
  return {
    debug: (message) => log.debug({ scheduler: message }, "scheduler"),
    info: (message) => log.debug({ scheduler: message }, "scheduler"),
    warn: (message) => log.warn({ scheduler: message }, "scheduler"),
    error: (message, error) => log.error({ scheduler: message, err: error }, "scheduler"),
  };
}
