import { isDeepStrictEqual } from "node:util";
import { listingKey } from "../../core/change/rewatch.ts";
import type { Clock } from "../../domain/time.ts";
import type { Change, WatchListed } from "../../domain/step.ts";
import type { WatchReading, WatchRow } from "../../domain/watch.ts";
import { messageOf } from "../../io/process/error-message.ts";
import type { Metrics } from "../../io/metrics/registry.ts";
import type { WatchList } from "../../pollers/poller.ts";
import type { Loop } from "../loop.ts";
import { policyOf, type WatchdogSetup } from "../setup.ts";
import { sweepNotices } from "./sweep-plan.ts";
import { listenToSources, type WatchListening } from "./listening.ts";
import { createWatchMerging } from "./merging.ts";
import { noticesOf, tellProblems } from "./telling.ts";
import type { Prepared, Watching } from "../watching.ts";

/** The watch lists of every aggregator: what they are merged of now, and what brings changes. */
export type WatchLists = {
  /** The same settings with the watch lists that are in force under them; new files are read first. */
  readonly effective: (setup: WatchdogSetup) => WatchdogSetup;
  /** Puts what the sources and the operators say now in force; a list that is the same changes nothing. */
  readonly sync: () => void;
  readonly reading: () => readonly WatchReading[];
  /** Sources that cannot be read, names that disagree, and polls that do not fit their schedule. */
  readonly notices: () => readonly string[];
  /** Looks at files and asks for lists from now on; gives what ends that. */
  readonly listen: () => () => void;
};

export type WatchListsWorld = {
  readonly clock: Clock;
  readonly rows: () => Iterable<Change>;
  readonly loop: () => Loop;
  readonly watching: () => Pick<Watching, "prepare">;
  readonly metrics: () => Pick<Metrics, "expect">;
  /** The settings in force, without what the sources add. */
  readonly inForce: () => WatchdogSetup;
};

export function createWatchLists(world: WatchListsWorld): WatchLists {
  const merging = createWatchMerging(world);
  const told = new Map<string, string>();
  let listening: WatchListening | undefined;
  let applied: readonly WatchList[] | undefined;
  const reading = (): readonly WatchReading[] => world.inForce().aggregators.map(merging.reading);
  const sync = (): void => {
    merging.freshen();
    const setup = world.inForce();
    const next = { ...setup, aggregators: setup.aggregators.map(merging.effective) };
    tellProblems(setup.log, reading(), told);
    listening?.askLists();
    const listed = listedSince(world.loop().state().tables.watch, next);
    const watch = next.aggregators.map((one) => one.watch);
    if (listed.length === 0 && isDeepStrictEqual(watch, applied)) return;
    if (putInForce(next, listed, world)) applied = watch;
  };
  return {
    effective: (setup) => {
      merging.readFiles(setup);
      return { ...setup, aggregators: setup.aggregators.map(merging.effective) };
    },
    sync,
    reading,
    notices: () => [...reading().flatMap(noticesOf), ...sweepNoticesOf(world.inForce(), reading())],
    listen: () => {
      listening = listenToSources({
        inForce: world.inForce,
        onFiles: () => {
          merging.readFiles(world.inForce());
          sync();
        },
        onBody: (aggregator, list, body) => {
          merging.take(aggregator, list, body);
          sync();
        },
      });
      listening.askLists();
      return listening.end;
    },
  };
}

function sweepNoticesOf(
  { aggregators }: WatchdogSetup,
  readings: readonly WatchReading[],
): readonly string[] {
  return readings.flatMap((reading) => {
    const setup = aggregators.find(({ name }) => name === reading.aggregator);
    return setup === undefined ? [] : sweepNotices(reading, setup.client.rate.requestsPerSecond);
  });
}

/** What the sources say otherwise than what is kept of them. */
function listedSince(
  rows: ReadonlyMap<string, WatchRow>,
  { aggregators }: WatchdogSetup,
): readonly WatchListed[] {
  const listed: WatchListed[] = [];
  const current = new Set<string>();
  for (const { name: aggregator, given = [] } of aggregators) {
    for (const { source, name, entries } of given) {
      if (source === "config") continue;
      const key = listingKey(aggregator, source, name);
      current.add(key);
      const row = rows.get(key);
      const kept = row?.type === "listing" ? row.entries : undefined;
      if (kept !== entries && !isDeepStrictEqual(kept, entries))
        listed.push({ aggregator, source, name, entries });
    }
  }
  for (const [key, row] of rows)
    if (row.type === "listing" && !current.has(key)) listed.push({ ...row, entries: undefined });
  return listed;
}

/** The loop decides first, and only then is it asked otherwise. */
function putInForce(
  next: WatchdogSetup,
  listed: readonly WatchListed[],
  world: WatchListsWorld,
): boolean {
  const policy = policyOf(next);
  let prepared: Prepared;
  try {
    prepared = world.watching().prepare(next);
  } catch (error) {
    next.log.error({ err: messageOf(error) }, "the watch list cannot be put in force");
    return false;
  }
  if (world.loop().rewatch(policy, listed) === undefined) {
    prepared.drop();
    return false;
  }
  world.metrics().expect(policy);
  prepared.apply();
  return true;
}
