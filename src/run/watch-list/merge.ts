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
};

export function merge(setup: AggregatorSetup, sources: readonly WatchListSource[]): Merged {
  const listings = sources
    .flatMap((source) => source.lists())
    .flatMap(({ source, name, entries }): WatchListing[] =>
      entries === undefined ? [] : [{ source, name, entries }],
    );
  const merged = mergeWatch(watchKinds, listings);
  // The core takes what operators added from the state.
  const given = listings.filter(({ source }) => source !== "api");
  const effective = { ...setup, given, watch: watchListOf(merged.entries.values(), setup.watch) };
  return { ...merged, effective, sweeps: activePollers(effective).map(sweepReading) };
}

export function readingOf(
  { effective, entries, conflicts, sweeps }: Merged,
  sources: readonly WatchListSource[],
): WatchReading {
  const lists = sources.flatMap((source) => source.lists());
  return {
    aggregator: effective.name,
    entries: [...entries.values()],
    sources: lists.filter(({ source }) => source === "file" || source === "http"),
    conflicts,
    sweeps,
  };
}
