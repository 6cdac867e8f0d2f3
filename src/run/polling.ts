import type { Event } from "../domain/step.ts";
import { pollOutcome, type Observation, type PollOutcome } from "../domain/observation.ts";
import { SECOND, type Instant } from "../domain/time.ts";
import type { Logger } from "../io/process/log.ts";
import type { ClientReading } from "../io/metrics/definition.ts";
import type { PollerSlots } from "../io/schedule/slot-counts.ts";
import { runPoll, type PollRequest } from "../io/aggregator/poll-runner.ts";
import {
  createScheduler,
  type Schedule,
  type Scheduler,
  type SchedulerLog,
} from "../io/schedule/scheduler.ts";
import { pausedUntil } from "../pollers/poller.ts";
import type { EffectsWorld } from "./effects.ts";
import { addedSurfaces, readAdded } from "./watch-list/newly-watched.ts";
import type { WatchdogSetup } from "./setup.ts";
import {
  connect,
  reconnect,
  type Connection,
  type ConnectionWorld,
  type PolledAggregator,
} from "./aggregator-connection.ts";

/** The clients, schedules and polls of every aggregator. */
export type Polling = Pick<EffectsWorld, "clientOf" | "probeRequest"> & {
  readonly start: () => void;
  /** Polls everything at once, for example after a time in which nothing could be polled. */
  readonly pollAll: () => void;
  /** No poll begins any more, and those under way are waited for. */
  readonly stop: () => Promise<void>;
  readonly close: () => void;
  /**
   * Prepares other settings; throws if they cannot be used. Actions under way are never cut off; polls are, if
   * the aggregator is read in another way.
   */
  readonly prepare: (next: Pick<WatchdogSetup, "aggregators">) => Prepared;
  /** How many slots of each schedule were polled, and how many were left out. */
  readonly slotCounts: () => PollerSlots[];
  /** How fast each aggregator may be polled, and how many reads were the same as before. */
  readonly clientReadings: () => ClientReading[];
};

/** Call exactly one of the two, once; neither can fail. */
export type Prepared = { readonly apply: () => void; readonly drop: () => void };

type PollingWorld = ConnectionWorld & {
  readonly signal: AbortSignal;
  /** Resolves when the event has been handled: the poll has nothing more before that. */
  readonly push: (event: Event) => void | Promise<void>;
};

/** How long a shutdown waits for polls, which were aborted already. */
const POLLS_GET = SECOND;

type All = ReadonlyMap<string, PolledAggregator>;

export function createPolling(setup: WatchdogSetup, world: PollingWorld): Polling {
  const { clock } = world;
  let aggregators: All = new Map(setup.aggregators.map((one) => [one.name, connect(one, world)]));
  const stopPolls = (): void => {
    for (const { polls } of aggregators.values()) polls.abort();
  };
  world.signal.addEventListener("abort", stopPolls, { once: true });
  /** Retired, with an action under way. */
  const retiring = new Set<Connection>();
  const run = async (aggregator: string, poller: string): Promise<PollOutcome> => {
    const poll = requestOf(aggregators, world, aggregator, poller, "poll");
    if (poll === undefined || poll.signal.aborted) return "complete";
    return await runWhole(poll, world.push);
  };
  const log = schedulerLog(setup.log);
  const notBefore = (...of: [string, string]) => asksToWaitUntil(aggregators, ...of);
  const schedules = schedulesOf(aggregators);
  const scheduler = createScheduler({ schedules, run, notBefore, clock, log });
  return {
    start: () => {
      scheduler.start();
      // The first readings do not wait for the first slot.
      for (const { aggregator, poller } of schedulesOf(aggregators)) {
        void scheduler.trigger(aggregator, poller);
      }
    },
    pollAll: scheduler.pollAll,
    stop: async () => {
      await scheduler.stop(POLLS_GET);
    },
    prepare: (next) => {
      const before = aggregators;
      const after = reconnectAll(before, next, world);
      return {
        apply: () => {
          aggregators = after;
          retireAll(leftOver(before, after), retiring);
          const isReadAgain = cutOff(before, after);
          scheduler.replace(schedulesOf(after), ({ aggregator }) => isReadAgain.has(aggregator));
          readNewlyWatched(before, after, world);
        },
        drop: () => closeAll(leftOver(after, before)),
      };
    },
    slotCounts: () => schedulesOf(aggregators).map((own) => slotCountsOf(own, scheduler)),
    clientReadings: () => clientReadingsOf(aggregators),
    close: () => {
      closeAll([...aggregators.values()].map(({ connection }) => connection));
      closeAll(retiring);
    },
    clientOf: (aggregator) => aggregators.get(aggregator)?.connection.client,
    probeRequest: (aggregator, poller, surface) => {
      const probe = requestOf(aggregators, world, aggregator, poller, "probe");
      return probe && { ...probe, only: new Set([surface]) };
    },
  };
}

/** A poll that shutdown or a reload cuts off says nothing of the aggregator. */
async function runWhole(poll: PollRequest, push: PollingWorld["push"]): Promise<PollOutcome> {
  const report = async (observation: Observation): Promise<void> => {
    if (!poll.signal.aborted) await push({ type: "observed", observation });
  };
  const last = await runPoll(poll, report);
  await report(last);
  return poll.signal.aborted ? "complete" : pollOutcome(last.parts, last.earlier);
}

function readNewlyWatched(before: All, after: All, world: PollingWorld): void {
  for (const [aggregator, one] of after) {
    for (const [poller, surfaces] of addedSurfaces(before.get(aggregator), one)) {
      const request = requestOf(after, world, aggregator, poller, "poll");
      const push = (observation: Observation) => world.push({ type: "observed", observation });
      if (request !== undefined) void readAdded(request, surfaces, push);
    }
  }
}

/** All or none: if one connection cannot be made, those made for the others are closed. */
function reconnectAll(
  before: All,
  next: Pick<WatchdogSetup, "aggregators">,
  world: ConnectionWorld,
): All {
  const after = new Map<string, PolledAggregator>();
  try {
    for (const one of next.aggregators) {
      const known = before.get(one.name);
      after.set(one.name, known === undefined ? connect(one, world) : reconnect(known, one, world));
    }
  } catch (error) {
    closeAll(leftOver(after, before));
    throw error;
  }
  return after;
}

/** The connections of one that the other does not have. */
function leftOver(one: All, other: All): Connection[] {
  const kept = new Set([...other.values()].map(({ connection }) => connection));
  return [...one.values()]
    .map(({ connection }) => connection)
    .filter((connection) => !kept.has(connection));
}

/** They stay in `retiring` while an action on them is under way. */
function retireAll(connections: readonly Connection[], retiring: Set<Connection>): void {
  for (const connection of connections) {
    retiring.add(connection);
    connection.retire(() => retiring.delete(connection));
  }
}

function closeAll(connections: Iterable<Connection>): void {
  for (const { client } of connections) client.close();
}

/** Ends the polls of aggregators that are gone or now read in another way, and gives the names of the latter. */
function cutOff(before: All, after: All): ReadonlySet<string> {
  const again = new Set<string>();
  for (const [name, { polls }] of before) {
    if (after.get(name)?.polls === polls) continue;
    polls.abort();
    again.add(name);
  }
  return again;
}

function schedulesOf(aggregators: All): Schedule[] {
  return [...aggregators].flatMap(([aggregator, { pollers }]) =>
    [...pollers].map(([poller, { setup }]) => ({ aggregator, poller, cron: setup.schedule })),
  );
}

function slotCountsOf({ aggregator, poller }: Schedule, scheduler: Scheduler): PollerSlots {
  return { aggregator, poller, counts: scheduler.counts(aggregator, poller) };
}

function clientReadingsOf(aggregators: All): ClientReading[] {
  return [...aggregators].map(([aggregator, { connection }]) => ({
    aggregator,
    pollLimit: connection.client.pollLimit(),
    unchanged: connection.client.unchanged(),
  }));
}

/** Until when the schedule leaves out the slots of a poller, as the aggregator asked. */
function asksToWaitUntil(all: All, aggregator: string, name: string): Instant | undefined {
  const one = all.get(aggregator);
  const poller = one?.pollers.get(name)?.poller;
  if (one === undefined || poller === undefined) return undefined;
  const { client } = one.connection;
  if (!client.isPaused()) return undefined;
  return pausedUntil(poller.plan(one.setup.watch), client.pausedUntil);
}

function requestOf(
  all: All,
  { clock }: PollingWorld,
  aggregator: string,
  name: string,
  origin: "poll" | "probe",
): PollRequest | undefined {
  const one = all.get(aggregator);
  const active = one?.pollers.get(name);
  if (one === undefined || active === undefined) return undefined;
  const { poller, sweep } = active;
  const { setup, connection, polls } = one;
  const { watch: list, statuses } = setup;
  const { client } = connection;
  const { signal } = polls;
  const { timeoutMs, atOnce, paceMs } = sweep;
  const options = { client, clock, signal, origin, timeoutMs, atOnce, paceMs };
  return { aggregator, poller, watch: list, statuses, ...options };
}

function schedulerLog(log: Logger): SchedulerLog {
  return { error: (message, error) => log.error({ scheduler: message, err: error }, "scheduler") };
}
