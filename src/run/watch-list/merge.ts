import { isDeepStrictEqual } from "node:util";
import { mergeWatch, type MergedWatch } from "../../core/change/watch-list.ts";
import type { SweepReading, WatchListing, WatchReading } from "../../domain/watch.ts";
import { watchKinds, watchListOf } from "../../pollers/watch-kinds.ts";
import { activePollers, type AggregatorSetup } from "../setup.ts";
import type { WatchListSource } from "./source.ts";
import { sweepReading } from "./sweep-plan.ts";

/** What all sources of an aggregator give, as one list. */
export type Merged = MergedWatch & {
  /** The settings with this list. */
  readonly effective: AggregatorSetup;
  readonly sweeps: readonly SweepReading[];
  /** Its entries, for those who only show them. */
  readonly shown: WatchReading["entries"];
};

type Merger = {
  /** The same as last time, unless a source may have changed since. */
  readonly merged: (setup: AggregatorSetup, sources: () => readonly WatchListSource[]) => Merged;
  /** To be called when a source may give others. What gives the same is not merged again. */
  readonly recheck: () => void;
};

/** Merging a hundred thousand entries takes half a second, and most hints that a file may have changed are wrong. */
export function createMerger(): Merger {
  type Kept = Merged & { readonly listings: readonly WatchListing[]; readonly turn: number };
  const kept = new WeakMap<AggregatorSetup, Kept>();
  let turn = 0;
  return {
    merged: (setup, sources) => {
      const known = kept.get(setup);
      if (known?.turn === turn) return known;
      const listings = listingsOf(sources());
      const isSame = known !== undefined && isDeepStrictEqual(known.listings, listings);
      const own = { ...(isSame ? known : merge(setup, listings)), listings, turn };
      kept.set(setup, own);
      return own;
    },
    recheck: () => {
      turn += 1;
    },
  };
}

function listingsOf(sources: readonly WatchListSource[]): readonly WatchListing[] {
  return sources
    .flatMap((source) => source.lists())
    .flatMap(({ source, name, entries, withOthers }): WatchListing[] =>
      entries === undefined
        ? []
        : [{ source, name, entries, ...(withOthers === undefined ? {} : { withOthers }) }],
    );
}

function merge(setup: AggregatorSetup, listings: readonly WatchListing[]): Merged {
  const merged = mergeWatch(watchKinds, listings);
  // The core takes what operators added from the state.
  const given = listings.filter(({ source }) => source !== "api");
  const effective = { ...setup, given, watch: watchListOf(merged.entries.values(), setup.watch) };
  const sweeps = activePollers(effective).map(sweepReading);
  return { ...merged, effective, sweeps, shown: [...merged.entries.values()] };
}

export function readingOf(
  { effective, shown, conflicts, sweeps }: Merged,
  sources: readonly WatchListSource[],
): WatchReading {
  const lists = sources.flatMap((source) => source.lists());
  return {
    aggregator: effective.name,
    entries: shown,
    sources: lists.filter(({ source }) => source === "file" || source === "http"),
    conflicts,
    sweeps,
  };
}
