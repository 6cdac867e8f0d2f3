import type { WatchReading, WatchSource } from "../../domain/watch.ts";

type WatchCount = {
  readonly kind: string;
  readonly source: WatchSource;
  readonly entries: number;
};

const counted = new WeakMap<WatchReading["entries"], readonly WatchCount[]>();

/** The entries of each kind, counted by the first of their sources. Unchanged entries are not counted again. */
export function countsOf({ entries }: Pick<WatchReading, "entries">): readonly WatchCount[] {
  const known = counted.get(entries) ?? count(entries);
  counted.set(entries, known);
  return known;
}

function count(entries: WatchReading["entries"]): readonly WatchCount[] {
  const bySource = Map.groupBy(entries, ({ kind, source }) => `${kind} ${source}`);
  return [...bySource.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return [{ kind: first.kind, source: first.source, entries: own.length }];
  });
}
