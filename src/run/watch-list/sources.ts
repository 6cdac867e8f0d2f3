import { operatorEntries } from "../../core/change/watch-commands.ts";
import type { Clock } from "../../domain/time.ts";
import type { WatchEntry, WatchRow, WatchSourceState } from "../../domain/watch.ts";
import type { Redactor } from "../../io/redact/redactor.ts";
import { entriesOf } from "../../pollers/watch-kinds.ts";
import type { AggregatorSetup, WatchPart } from "../setup.ts";
import { fileSource } from "./file-source.ts";
import { httpSource } from "./http-source.ts";
import { partOf, type WatchListSource } from "./source.ts";

/** The sources of all aggregators. One that two settings name is the same, and keeps what it gave last. */
type WatchListSources = {
  /** Those that the settings of an aggregator name, in the order of precedence. */
  readonly of: (setup: AggregatorSetup) => readonly WatchListSource[];
  /** Forgets the sources that these settings do not name, and follows the others once it is started. */
  readonly keep: (setups: readonly AggregatorSetup[]) => void;
  readonly start: (setups: readonly AggregatorSetup[]) => void;
  readonly stop: () => void;
};

export function createSources(
  { clock, redactor }: { readonly clock: Clock; readonly redactor: Redactor },
  rows: () => ReadonlyMap<string, WatchRow>,
  onChange: () => void,
): WatchListSources {
  const known = new Map<string, WatchListSource>();
  const listsOf = createConfigLists();
  const stops = new Map<string, () => void>();
  let isStarted = false;

  function of({ name: aggregator, watch, watchSources, part }: AggregatorSetup): WatchListSource[] {
    const { files = [], http = [] } = watchSources ?? {};
    const kept = () => listingsKept(rows(), aggregator);
    const once = (settings: unknown, create: () => WatchListSource): WatchListSource => {
      const key = JSON.stringify([aggregator, settings]);
      const source = known.get(key) ?? create();
      known.set(key, source);
      return source;
    };
    return [
      { lists: () => listsOf(watch, part) },
      ...(files.length === 0 ? [] : [once(files, () => fileSource(files, kept(), clock, part))]),
      ...http.map((list) => once(list, () => httpSource(list, kept(), clock, redactor, part))),
      operatorSource(() => operatorEntries(rows(), aggregator), part),
    ];
  }

  function keep(setups: readonly AggregatorSetup[]): void {
    const named = new Set(setups.flatMap(of));
    for (const [key, source] of known) {
      const isNamed = named.has(source);
      if (!isNamed) known.delete(key);
      if (!isNamed || !isStarted) {
        stops.get(key)?.();
        stops.delete(key);
      } else if (source.start !== undefined && !stops.has(key))
        stops.set(key, source.start(onChange));
    }
  }

  return {
    of,
    keep,
    start: (setups) => {
      isStarted = true;
      keep(setups);
    },
    stop: () => {
      isStarted = false;
      keep([]);
    },
  };
}

function operatorSource(
  entries: () => readonly WatchEntry[],
  part: WatchPart | undefined,
): WatchListSource {
  // A command is refused an alias that operators gave in another unit, so those are not known here.
  return {
    lists: () => [{ source: "api", name: "", entries: partOf(entries(), part).entries }],
  };
}

/** What files and lists over HTTP gave before: one that cannot be read at the start is not lost. */
function listingsKept(
  rows: ReadonlyMap<string, WatchRow>,
  aggregator: string,
): readonly WatchSourceState[] {
  return [...rows.values()].flatMap((row) => {
    if (row.type !== "listing" || row.aggregator !== aggregator) return [];
    const { source, name, entries } = row;
    return [{ source, name, entries }];
  });
}

/** What the config itself lists, which is the same until it is read again. */
function createConfigLists(): (
  watch: AggregatorSetup["watch"],
  part: WatchPart | undefined,
) => readonly WatchSourceState[] {
  const known = new WeakMap<AggregatorSetup["watch"], readonly WatchSourceState[]>();
  return (watch, part) => {
    const lists = known.get(watch) ?? [
      { source: "config", name: "", ...partOf(part?.configured ?? entriesOf(watch), part) },
    ];
    known.set(watch, lists);
    return lists;
  };
}
