import { dirname } from "node:path";
import { readWatchFile } from "../../config/settings/watch-list.ts";
import type { Clock } from "../../domain/time.ts";
import { LONGEST_LIST, type WatchSourceState } from "../../domain/watch.ts";
import { watchFiles } from "../../io/process/file-watcher.ts";
import { readRegularFile } from "../../io/process/files.ts";
import { findFiles, isOfPattern, isPattern } from "../../io/watch-list/file-patterns.ts";
import { watchKinds } from "../../pollers/watch-kinds.ts";
import type { WatchPart } from "../setup.ts";
import { takeContent, type FetchedList, type WatchListSource } from "./source.ts";

/** The files of some patterns, which begin with what they gave before. */
export function fileSource(
  patterns: readonly string[],
  kept: readonly WatchSourceState[],
  clock: Clock,
  part?: WatchPart,
): WatchListSource {
  const lists = new Map<string, FetchedList>();
  for (const { source, name, entries } of kept)
    if (source === "file" && patterns.some((one) => isOfPattern(one, name)))
      listOf(lists, name).entries = entries;
  const read = (): void => {
    for (const pattern of patterns) readPattern(lists, pattern, clock, part);
  };
  return {
    lists: () => [...lists.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    read,
    start: (onChange) =>
      watchFiles({
        directories: () => [...new Set(patterns.map((pattern) => dirname(pattern)))],
        onHint: () => {
          read();
          onChange();
        },
      }).close,
  };
}

function listOf(lists: Map<string, FetchedList>, name: string): FetchedList {
  const list = lists.get(name) ?? { source: "file", name, entries: undefined };
  lists.set(name, list);
  return list;
}

function readPattern(
  lists: Map<string, FetchedList>,
  pattern: string,
  clock: Clock,
  part: WatchPart | undefined,
): void {
  const found = findFiles(pattern);
  // A file that is named must be there; one that only matches a pattern may go, and its entries with it.
  const isMissing = found.ok && found.value.length === 0 && !isPattern(pattern);
  if (!found.ok || isMissing) {
    const problem = found.ok ? `${pattern}: there is no such file` : found.problem;
    const own = [...lists.values()].filter(({ name }) => isOfPattern(pattern, name));
    // If it has given no list yet, the problem is kept under its own name, which it matches, too.
    for (const list of own.length > 0 ? own : [listOf(lists, pattern)])
      Object.assign(list, { problem, content: undefined });
    return;
  }
  for (const name of lists.keys())
    if (isOfPattern(pattern, name) && !found.value.includes(name)) lists.delete(name);
  for (const path of found.value)
    takeContent(
      listOf(lists, path),
      readRegularFile(path, LONGEST_LIST),
      clock.now(),
      (text) => readWatchFile(watchKinds, path, text),
      part,
    );
}
