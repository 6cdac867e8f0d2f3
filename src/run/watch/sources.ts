import { basename } from "node:path";
import { readWatchFile, readWatchReply } from "../../config/settings/watch-list.ts";
import { renderProblem } from "../../config/problem.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import type { WatchEntry, WatchListing, WatchRow, WatchSourceState } from "../../domain/watch.ts";
import { readTextFile } from "../../io/process/files.ts";
import { findFiles, isOfPattern } from "../../io/watch/files.ts";
import { entriesOf, watchKinds } from "../../pollers/watch-kinds.ts";
import type { AggregatorSetup } from "../setup.ts";

type SourceState = WatchSourceState & {
  /** What it said last, so that the same is not read twice. */
  said?: Result<string, string> | undefined;
};

/** The files and lists over HTTP of one aggregator, each with the last list that could be read. */
export type WatchSourceBook = {
  /** Reads the files of these patterns, and forgets those that are gone. */
  readonly readFiles: (patterns: readonly string[], now: Instant) => void;
  readonly take: (name: string, body: Result<string, string>, now: Instant) => void;
  /** What counts under these settings, in the order of precedence. */
  readonly listings: (setup: AggregatorSetup) => readonly WatchListing[];
  /** Those that the settings name, and how each is. */
  readonly states: (setup: AggregatorSetup) => readonly WatchSourceState[];
};

/** Begins with what the journal kept, so that a list which cannot be read at the start is not lost. */
export function createSourceBook(aggregator: string, rows: Iterable<WatchRow>): WatchSourceBook {
  const states = new Map<string, SourceState>();
  for (const row of rows) {
    if (row.type !== "listing" || row.aggregator !== aggregator) continue;
    const { source, name, entries } = row;
    if (source === "file" || source === "http")
      states.set(`${source}:${name}`, { source, name, entries });
  }
  const stateOf = (source: "file" | "http", name: string): SourceState => {
    const key = `${source}:${name}`;
    const known = states.get(key) ?? { source, name, entries: undefined };
    states.set(key, known);
    return known;
  };
  const ofSettings = ({ watchSources }: AggregatorSetup): SourceState[] => {
    const { files = [], http = [] } = watchSources ?? {};
    const all = [...states.values()];
    const found = all
      .filter(({ source, name }) => source === "file" && isOneOf(files, name))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return [...found, ...http.map(({ name }) => stateOf("http", name))];
  };
  return {
    readFiles: (patterns, now) => {
      for (const pattern of patterns) readPattern(pattern, states, stateOf, now);
    },
    take: (name, body, now) => settle(stateOf("http", name), body, now, readReply),
    listings: (setup) => [
      { source: "config", name: "", entries: entriesOf(setup.watch) },
      ...ofSettings(setup).flatMap(({ source, name, entries }) =>
        entries === undefined ? [] : [{ source, name, entries }],
      ),
    ],
    states: ofSettings,
  };
}

function isOneOf(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => pattern === path || isOfPattern(pattern, path));
}

function readPattern(
  pattern: string,
  states: Map<string, SourceState>,
  stateOf: (source: "file", name: string) => SourceState,
  now: Instant,
): void {
  const found = findFiles(pattern);
  const isOneFile = !/[*?]/.test(basename(pattern));
  if (found.ok && isOneFile && found.value.length === 0) {
    // A file that is named is meant to be there; one of a pattern may go, and its entries with it.
    Object.assign(stateOf("file", pattern), {
      problem: `${pattern}: there is no such file`,
      said: undefined,
    });
    return;
  }
  // It has the pattern's own name, so that no file stands for a directory that cannot be read.
  const itself = `file:${pattern}`;
  if (!found.ok) {
    stateOf("file", pattern).problem = found.problem;
    return;
  }
  for (const [key, { source, name }] of states)
    if (source === "file" && isOneOf([pattern], name) && !found.value.includes(name))
      states.delete(key);
  if (!isOneFile) states.delete(itself);
  for (const path of found.value) {
    const read = (text: string): Result<readonly WatchEntry[], string> => readText(path, text);
    settle(stateOf("file", path), readTextFile(path), now, read);
  }
}

/** All or nothing: what cannot be read leaves the list before in force. */
function settle(
  state: SourceState,
  said: Result<string, string>,
  now: Instant,
  read: (text: string) => Result<readonly WatchEntry[], string>,
): void {
  const isSame = JSON.stringify(said) === JSON.stringify(state.said);
  if (isSame && state.problem === undefined) state.successAt = now;
  if (isSame) return;
  state.said = said;
  const entries = said.ok ? read(said.value) : said;
  if (entries.ok) {
    state.entries = entries.value;
    state.successAt = now;
    delete state.problem;
  } else state.problem = entries.problem;
}

function readText(path: string, text: string): Result<readonly WatchEntry[], string> {
  const read = readWatchFile(watchKinds, path, text);
  return read.ok ? succeed(read.value) : fail(read.problem.map(renderProblem).join("\n"));
}

function readReply(body: string): Result<readonly WatchEntry[], string> {
  const read = readWatchReply(watchKinds, body);
  return read.ok ? succeed(read.value) : fail(read.problem.join("\n"));
}
