import { problemWithoutPlace, type Problem } from "../config/problem.ts";
import type { ConfigLint } from "../config/config-lints.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { AggregatorSettings } from "../config/settings/resolve-aggregator.ts";
import { readWatchFile } from "../config/settings/watch-list.ts";
import { mergeWatch } from "../core/change/watch-list.ts";
import { LONGEST_LIST, type WatchListing } from "../domain/watch.ts";
import { readRegularFile } from "../io/process/files.ts";
import { findFiles, isPattern } from "../io/watch-list/file-patterns.ts";
import { entriesOf, watchKinds, watchListOf } from "../pollers/watch-kinds.ts";
import type { WatchList } from "../pollers/poller.ts";
import { sendersUnit } from "../domain/lease.ts";
import { activePollers, type AggregatorSetup } from "../run/setup.ts";
import { aggregatorOfHome, aggregatorOfUnit, fullestUnit } from "../run/units/unit-setup.ts";
import { sweepNotices, sweepReading } from "../run/watch-list/sweep-plan.ts";
import { aggregatorSetup } from "./setup-of.ts";

/**
 * What the sources of the watch lists disagree about, and which polls do not fit their schedule. Lists over HTTP are
 * not asked for: a check reaches nothing but files.
 */
export function watchNotices(settings: Settings): readonly Problem[] {
  return settings.aggregators.flatMap((one, index) => {
    const { watch, conflicts } = watchedByFiles(one);
    const notices = tooLong({ ...aggregatorSetup(one), watch }, settings.journal.shards);
    const warn = aggregatorWarning(settings, index);
    return [
      ...conflicts.map((text) => warn("lint/watch-conflict", text)),
      ...notices.map((text) => warn("lint/sweep-too-long", text)),
    ];
  });
}

/** Makes warnings about an aggregator, at the key that every one has. */
export function aggregatorWarning({ place }: Settings, index: number) {
  const at = { path: ["aggregators", index, "base_url"], at: "key" } as const;
  return (id: ConfigLint, message: string, hint?: string): Problem => ({
    severity: "warning",
    ...place({ ...at, id, message, hint }),
  });
}

/** Each unit has a part of the rate of its own; of those of senders, the fullest takes longest. */
function tooLong(setup: AggregatorSetup, shards: number): readonly string[] {
  if (shards === 0) return noticesOf(setup);
  const number = fullestUnit(
    setup.watch.senders.map(({ address }) => address),
    shards,
  );
  const ofUnit = noticesOf(aggregatorOfUnit(setup, number, shards));
  return [
    ...noticesOf(aggregatorOfHome(setup, shards)),
    ...ofUnit.map((text) => `${sendersUnit(number)}, the fullest of ${shards} units: ${text}`),
  ];
}

function noticesOf(setup: AggregatorSetup): readonly string[] {
  const sweeps = activePollers(setup).map(sweepReading);
  return sweepNotices({ aggregator: setup.name, sweeps }, setup.client.rate.requestsPerSecond);
}

type Watched = {
  readonly watch: WatchList;
  readonly problems: readonly Problem[];
  /** What the sources disagree about. */
  readonly conflicts: readonly string[];
};

/** What the config and the files of its watch lists name. A file with a problem names nothing. */
export function watchedByFiles({ watch, watchSources }: AggregatorSettings): Watched {
  const problems: Problem[] = [];
  const listings: WatchListing[] = [{ source: "config", name: "", entries: entriesOf(watch) }];
  for (const pattern of watchSources.files) listings.push(...readPattern(pattern, problems));
  const { entries, conflicts } = mergeWatch(watchKinds, listings);
  return { watch: watchListOf(entries.values(), watch), problems, conflicts };
}

function readPattern(pattern: string, problems: Problem[]): readonly WatchListing[] {
  const whole = (file: string, message: string): void =>
    void problems.push(problemWithoutPlace(file, "watch/unreadable", message));
  const found = findFiles(pattern);
  if (!found.ok) {
    whole(pattern, found.problem);
    return [];
  }
  if (found.value.length === 0 && !isPattern(pattern)) whole(pattern, "there is no such file");
  return found.value.flatMap((file): WatchListing[] => {
    const text = readRegularFile(file, LONGEST_LIST);
    if (!text.ok) whole(file, `the watch list cannot be read: ${text.problem}`);
    if (!text.ok) return [];
    const read = readWatchFile(watchKinds, file, text.value);
    if (!read.ok) problems.push(...read.problem);
    return read.ok ? [{ source: "file", name: file, entries: read.value }] : [];
  });
}
