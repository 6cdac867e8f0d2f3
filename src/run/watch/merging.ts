import { listingsOf } from "../../core/change/watch-commands.ts";
import { mergeWatch, type MergedWatch } from "../../core/change/watch-list.ts";
import type { Change } from "../../domain/step.ts";
import type { Result } from "../../domain/result.ts";
import type { Clock } from "../../domain/time.ts";
import type { SweepReading, WatchReading, WatchRow } from "../../domain/watch.ts";
import { watchKinds, watchListOf } from "../../pollers/watch-kinds.ts";
import type { Loop } from "../loop.ts";
import { activePollers, type AggregatorSetup, type WatchdogSetup } from "../setup.ts";
import { sweepReading } from "./sweep-plan.ts";
import { createSourceBook, type WatchSourceBook } from "./sources.ts";

/** What all sources give, as one list for each aggregator. Merging ten thousand takes a while, so it is kept. */
export type WatchMerging = {
  readonly effective: (setup: AggregatorSetup) => AggregatorSetup;
  readonly reading: (setup: AggregatorSetup) => WatchReading;
  readonly readFiles: (setup: WatchdogSetup) => void;
  readonly take: (aggregator: string, list: string, body: Result<string, string>) => void;
  /** What was merged is out of date; once it runs, the state knows better than the journal's rows. */
  readonly freshen: () => void;
};

type Merged = MergedWatch & {
  readonly effective: AggregatorSetup;
  readonly sweeps: readonly SweepReading[];
};

export function createWatchMerging(world: {
  readonly clock: Clock;
  readonly rows: () => Iterable<Change>;
  readonly loop: () => Pick<Loop, "state">;
}): WatchMerging {
  // Before there is a loop, the journal says what operators and sources gave.
  let restored: ReadonlyMap<string, WatchRow> | undefined = watchRows(world.rows());
  const rows = (): ReadonlyMap<string, WatchRow> => restored ?? world.loop().state().tables.watch;
  const books = new Map<string, WatchSourceBook>();
  const bookOf = (aggregator: string): WatchSourceBook => {
    const book = books.get(aggregator) ?? createSourceBook(aggregator, rows().values());
    books.set(aggregator, book);
    return book;
  };
  let kept = new WeakMap<AggregatorSetup, Merged>();
  const mergedOf = (setup: AggregatorSetup): Merged => {
    const known = kept.get(setup);
    if (known !== undefined) return known;
    const given = bookOf(setup.name).listings(setup);
    const policy = { kinds: watchKinds, given: new Map([[setup.name, given]]) };
    const merged = mergeWatch(watchKinds, listingsOf(policy, rows(), setup.name));
    const effective = { ...setup, given, watch: watchListOf(merged.entries.values(), setup.watch) };
    const fresh = { ...merged, effective, sweeps: activePollers(effective).map(sweepReading) };
    kept.set(setup, fresh);
    return fresh;
  };
  return {
    effective: (setup) => mergedOf(setup).effective,
    reading: (setup) => {
      const { entries, conflicts, sweeps } = mergedOf(setup);
      const sources = bookOf(setup.name).states(setup);
      const own = [...entries.values()];
      return { aggregator: setup.name, entries: own, sources, conflicts, sweeps };
    },
    readFiles: ({ aggregators }) => {
      for (const { name, watchSources } of aggregators)
        bookOf(name).readFiles(watchSources?.files ?? [], world.clock.now());
      kept = new WeakMap();
    },
    take: (aggregator, list, body) => bookOf(aggregator).take(list, body, world.clock.now()),
    freshen: () => {
      restored = undefined;
      kept = new WeakMap();
    },
  };
}

function watchRows(changes: Iterable<Change>): ReadonlyMap<string, WatchRow> {
  const rows = new Map<string, WatchRow>();
  for (const { table, key, value } of changes)
    if (table === "watch") rows.set(key, value as WatchRow);
  return rows;
}
