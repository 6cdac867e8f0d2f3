import { isDeepStrictEqual } from "node:util";
import { listingKey } from "../../core/change/rewatch.ts";
import type { Clock } from "../../domain/time.ts";
import type { Change, StateTable, WatchListed } from "../../domain/step.ts";
import type { WatchReading, WatchRow } from "../../domain/watch.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { Redactor } from "../../io/redact/redactor.ts";
import type { Metrics } from "../../io/metrics/metrics.ts";
import type { Loop } from "../loop.ts";
import { policyOf, type AggregatorSetup, type WatchdogSetup } from "../setup.ts";
import type { Prepared, Polling } from "../polling.ts";
import { createMerger, readingOf, type Merged } from "./merge.ts";
import { createProblemLog, noticesOf } from "./notices.ts";
import { createSources } from "./sources.ts";

/** The watch lists of every aggregator: their sources, what these merge to, and what follows a change. */
export type WatchLists = {
  /** The same settings with the watch lists that are in force under them; new files are read first. */
  readonly effective: (setup: WatchdogSetup) => WatchdogSetup;
  /** Puts what the sources give now in force; a list that is the same changes nothing. */
  readonly sync: () => void;
  readonly reading: () => readonly WatchReading[];
  /** Sources that cannot be read, names that disagree, and polls that do not fit their schedule. */
  readonly notices: () => readonly string[];
  /** Follows the sources from now on, until the function that it returns is called. */
  readonly listen: () => () => void;
};

type WatchListDependencies = {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** The rows of the journal, for as long as there is no loop; it may give more than it is asked for. */
  readonly rows: (only: StateTable) => Iterable<Change>;
  readonly loop: () => Loop;
  readonly polling: () => Pick<Polling, "prepare">;
  readonly metrics: () => Pick<Metrics, "expect">;
  /** The settings in force, without what the sources add. */
  readonly inForce: () => WatchdogSetup;
};

export function createWatchLists(dependencies: WatchListDependencies): WatchLists {
  const { clock, inForce, loop, redactor } = dependencies;
  // Before there is a loop, the journal says what operators added and sources gave.
  let restored: ReadonlyMap<string, WatchRow> | undefined = watchRows(dependencies.rows("watch"));
  // No event leaves them half done, and one that takes long keeps its slices though its lists are shown.
  const rows = (): ReadonlyMap<string, WatchRow> => restored ?? loop().stateSoFar().tables.watch;
  const sources = createSources({ clock, redactor }, rows, sync);
  const merger = createMerger();
  const merged = (setup: AggregatorSetup): Merged => merger.merged(setup, () => sources.of(setup));
  const effective = (setup: WatchdogSetup): WatchdogSetup => ({
    ...setup,
    aggregators: setup.aggregators.map((one) => merged(one).effective),
  });
  const reading = (setup: AggregatorSetup): WatchReading =>
    readingOf(merged(setup), sources.of(setup));
  const logProblems = createProblemLog();
  let applied: readonly unknown[] | undefined;

  function sync(): void {
    restored = undefined;
    // What is put in force must last, and an event that has not ended may still be undone.
    loop().state();
    merger.recheck();
    const setup = inForce();
    sources.keep(setup.aggregators);
    logProblems(setup.log, setup.aggregators.map(reading));
    const next = effective(setup);
    const listed = listedSince(rows(), next);
    const watch = next.aggregators.map((one) => [one.watch, namedElsewhere(one)]);
    if (listed.length === 0 && isDeepStrictEqual(watch, applied)) return;
    if (putInForce(next, listed, dependencies)) applied = watch;
  }

  return {
    effective: (setup) => {
      for (const source of setup.aggregators.flatMap(sources.of)) source.read?.();
      merger.recheck();
      return effective(setup);
    },
    sync,
    reading: () => inForce().aggregators.map(reading),
    notices: () => inForce().aggregators.flatMap((one) => noticesOf(reading(one), one)),
    listen: () => {
      sources.start(inForce().aggregators);
      return sources.stop;
    },
  };
}

function watchRows(changes: Iterable<Change>): ReadonlyMap<string, WatchRow> {
  const rows = new Map<string, WatchRow>();
  for (const { table, key, value } of changes)
    if (table === "watch") rows.set(key, value as WatchRow);
  return rows;
}

/** Also what other units watch decides which alias is free. */
function namedElsewhere({ given = [] }: AggregatorSetup): readonly unknown[] {
  return given.map(({ withOthers }) => withOthers);
}

/** What the sources give otherwise than what is kept of them. */
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

/** The loop decides by the new lists first, and only then is the aggregator polled by them. */
function putInForce(
  next: WatchdogSetup,
  listed: readonly WatchListed[],
  { polling, loop, metrics }: WatchListDependencies,
): boolean {
  const policy = policyOf(next);
  let prepared: Prepared;
  try {
    prepared = polling().prepare(next);
  } catch (error) {
    next.log.error({ err: messageOf(error) }, "the watch list cannot be put in force");
    return false;
  }
  if (loop().rewatch(policy, listed) === undefined) {
    prepared.drop();
    return false;
  }
  metrics().expect(policy);
  prepared.apply();
  return true;
}
