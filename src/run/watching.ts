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
import type { Client } from "../io/aggregator/client.ts";
import { addedSurfaces, readAdded } from "./watch-list/newly-watched.ts";
import type { WatchdogSetup } from "./setup.ts";
import { rewatch, watch, type Line, type LineWorld, type Watched } from "./watched.ts";

/** The asking: clients, schedules and polls of every aggregator. */
export type Watching = {
  readonly start: () => void;
  /** No poll begins any more, and those under way are waited for. */
  readonly stop: () => Promise<void>;
  readonly close: () => void;
  /**
   * Makes ready to watch by other settings; throws where they cannot be used. Actions under way are
   * never cut off; polls are, where it is read otherwise.
   */
  readonly prepare: (next: Pick<WatchdogSetup, "aggregators">) => Prepared;
  /** What became of the schedules' slots. */
  readonly slotCounts: () => PollerSlots[];
  /** How each aggregator is asked: as fast as it may be, and how much of it was the same as before. */
  readonly clientReadings: () => ClientReading[];
  readonly clientOf: (aggregator: string) => Client | undefined;
  readonly probeRequest: (
    aggregator: string,
    poller: string,
    surface: string,
  ) => PollRequest | undefined;
};

/** One of the two is to be called, once; neither can fail. */
export type Prepared = { readonly apply: () => void; readonly drop: () => void };

export type WatchingWorld = LineWorld & {
  readonly signal: AbortSignal;
  readonly push: (event: Event) => void;
};

/** How long a shutdown waits for polls, which were told to stop already. */
const POLLS_GET = SECOND;

type All = ReadonlyMap<string, Watched>;

export function createWatching(setup: WatchdogSetup, world: WatchingWorld): Watching {
  const { clock } = world;
  let watched: All = new Map(setup.aggregators.map((one) => [one.name, watch(one, world)]));
  const stopReading = (): void => {
    for (const { reading } of watched.values()) reading.abort();
  };
  world.signal.addEventListener("abort", stopReading, { once: true });
  /** Retired, with an action under way. */
  const retiring = new Set<Line>();
  const run = async (aggregator: string, poller: string): Promise<PollOutcome> => {
    const poll = requestOf(watched, world, aggregator, poller, "poll");
    if (poll === undefined || poll.signal.aborted) return "complete";
    return await runWhole(poll, world.push);
  };
  const log = schedulerLog(setup.log);
  const notBefore = (...of: [string, string]) => leftAloneUntil(watched, ...of);
  const schedules = schedulesOf(watched);
  const scheduler = createScheduler({ schedules, run, notBefore, clock, log });
  return {
    start: () => {
      scheduler.start();
      // The first readings do not wait for the first slot.
      for (const { aggregator, poller } of schedulesOf(watched)) {
        void scheduler.trigger(aggregator, poller);
      }
    },
    stop: async () => {
      await scheduler.stop(POLLS_GET);
    },
    prepare: (next) => {
      const before = watched;
      const after = rewatchAll(before, next, world);
      return {
        apply: () => {
          watched = after;
          retireAll(leftOver(before, after), retiring);
          const isReadAnew = cutOff(before, after);
          scheduler.replace(schedulesOf(after), ({ aggregator }) => isReadAnew.has(aggregator));
          readNewlyWatched(before, after, world);
        },
        drop: () => closeAll(leftOver(after, before)),
      };
    },
    slotCounts: () => schedulesOf(watched).map((own) => slotCountsOf(own, scheduler)),
    clientReadings: () => clientReadingsOf(watched),
    close: () => {
      closeAll([...watched.values()].map(({ line }) => line));
      closeAll(retiring);
    },
    clientOf: (aggregator) => watched.get(aggregator)?.line.client,
    probeRequest: (aggregator, poller, surface) => {
      const probe = requestOf(watched, world, aggregator, poller, "probe");
      return probe && { ...probe, only: new Set([surface]) };
    },
  };
}

/** What shutdown or a reload cuts off says nothing of the aggregator. */
async function runWhole(poll: PollRequest, push: WatchingWorld["push"]): Promise<PollOutcome> {
  const tell = (observation: Observation): void => {
    if (!poll.signal.aborted) push({ type: "observed", observation });
  };
  const last = await runPoll(poll, tell);
  tell(last);
  return poll.signal.aborted ? "complete" : pollOutcome(last.parts, last.earlier);
}

function readNewlyWatched(before: All, after: All, world: WatchingWorld): void {
  for (const [aggregator, one] of after) {
    for (const [poller, surfaces] of addedSurfaces(before.get(aggregator), one)) {
      const request = requestOf(after, world, aggregator, poller, "poll");
      const push = (observation: Observation): void =>
        world.push({ type: "observed", observation });
      if (request !== undefined) void readAdded(request, surfaces, push);
    }
  }
}

/** Where one cannot be made, none is: what was made for the others is given back. */
function rewatchAll(before: All, next: Pick<WatchdogSetup, "aggregators">, world: LineWorld): All {
  const after = new Map<string, Watched>();
  try {
    for (const one of next.aggregators) {
      const known = before.get(one.name);
      after.set(one.name, known === undefined ? watch(one, world) : rewatch(known, one, world));
    }
  } catch (error) {
    closeAll(leftOver(after, before));
    throw error;
  }
  return after;
}

/** The lines of one that the other does not have. */
function leftOver(one: All, other: All): Line[] {
  const kept = new Set([...other.values()].map(({ line }) => line));
  return [...one.values()].map(({ line }) => line).filter((line) => !kept.has(line));
}

/** They stay in `retiring` while an action on them is under way. */
function retireAll(lines: readonly Line[], retiring: Set<Line>): void {
  for (const line of lines) {
    retiring.add(line);
    line.retire(() => retiring.delete(line));
  }
}

function closeAll(lines: Iterable<Line>): void {
  for (const { client } of lines) client.close();
}

/** Ends the polls of what is gone or is read otherwise now, and gives the names of the latter. */
function cutOff(before: All, after: All): ReadonlySet<string> {
  const anew = new Set<string>();
  for (const [name, { reading }] of before) {
    if (after.get(name)?.reading === reading) continue;
    reading.abort();
    anew.add(name);
  }
  return anew;
}

function schedulesOf(watched: All): Schedule[] {
  return [...watched].flatMap(([aggregator, { pollers }]) =>
    [...pollers].map(([poller, { setup }]) => ({ aggregator, poller, cron: setup.schedule })),
  );
}

function slotCountsOf({ aggregator, poller }: Schedule, scheduler: Scheduler): PollerSlots {
  return { aggregator, poller, counts: scheduler.counts(aggregator, poller) };
}

function clientReadingsOf(watched: All): ClientReading[] {
  return [...watched].map(([aggregator, { line }]) => ({
    aggregator,
    pollLimit: line.client.pollLimit(),
    unchanged: line.client.unchanged(),
  }));
}

/** A poller waits as long as the endpoint that is to be left alone for longest. */
function leftAloneUntil(all: All, aggregator: string, name: string): Instant | undefined {
  const one = all.get(aggregator);
  const poller = one?.pollers.get(name)?.poller;
  if (one === undefined || poller === undefined) return undefined;
  const { client } = one.line;
  if (!client.isPaused()) return undefined;
  const requests = poller.plan(one.setup.watch).flatMap((surface) => surface.requests);
  const endpoints = new Set(requests.map(({ endpoint }) => endpoint));
  const ends = [...endpoints].flatMap((endpoint) => client.pausedUntil(endpoint) ?? []);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function requestOf(
  all: All,
  { clock }: WatchingWorld,
  aggregator: string,
  name: string,
  origin: "poll" | "probe",
): PollRequest | undefined {
  const one = all.get(aggregator);
  const active = one?.pollers.get(name);
  if (one === undefined || active === undefined) return undefined;
  const { poller, sweep } = active;
  const { setup, line, reading } = one;
  const { watch: list, statuses } = setup;
  const { client } = line;
  const { signal } = reading;
  const { timeoutMs, atOnce, paceMs } = sweep;
  const asking = { client, clock, signal, origin, timeoutMs, atOnce, paceMs };
  return { aggregator, poller, watch: list, statuses, ...asking };
}

function schedulerLog(log: Logger): SchedulerLog {
  return {
    debug: (message) => log.debug({ scheduler: message }, "scheduler"),
    info: (message) => log.debug({ scheduler: message }, "scheduler"),
    warn: (message) => log.warn({ scheduler: message }, "scheduler"),
    error: (message, error) => log.error({ scheduler: message, err: error }, "scheduler"),
  };
}
