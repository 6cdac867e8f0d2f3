import { useEffect, useRef, useState } from "preact/hooks";
import { applied, createLateChanges, type Applied, type Change } from "./changes.ts";
import { onChanges, type Topic } from "./events.ts";

/** A list whose rows come and go is read again at most so often. */
const READ_AGAIN_MS = 5_000;

/**
 * Changes the rows of a list as the daemon says. `stale` grows when the list must be read again, and until then `isStale`
 * is true. `begin` is called when reading begins, and what it returns with the rows that were read, so that nothing is
 * lost that came meanwhile.
 */
export function useChanges<Row extends object>(list: {
  readonly path: string | undefined;
  /** Undefined: no changes are sent. */
  readonly topic: Topic | undefined;
  readonly keyOf: (row: Row) => string;
  readonly onRows: (now: (rows: readonly Row[]) => readonly Row[]) => void;
}): {
  readonly stale: number;
  readonly isStale: () => boolean;
  readonly begin: () => (rows: readonly Row[]) => readonly Row[];
} {
  const { path, topic, keyOf, onRows } = list;
  const isSearched = new URLSearchParams(path?.split("?")[1]).has("text");
  const [stale, setStale] = useState(0);
  const [late] = useState(() => createLateChanges(keyOf));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const readAgain = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setStale((count) => count + 1);
    }, READ_AGAIN_MS);
  };
  const rowsOf = ({ rows, isStale }: Applied<Row>): readonly Row[] => {
    if (isStale) readAgain();
    return rows;
  };
  useEffect(() => {
    if (topic === undefined) return undefined;
    const stop = onChanges(topic, (changes: ReadonlyMap<string, Change> | undefined) => {
      if (changes === undefined) return readAgain();
      late.note(changes);
      onRows((rows) => rowsOf(applied(rows, changes, keyOf, isSearched)));
    });
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      stop();
    };
  }, [path, topic]);
  const begin = () => {
    const end = late.begin(isSearched);
    return (rows: readonly Row[]) => rowsOf(end(rows));
  };
  return { stale, isStale: () => timer.current !== undefined, begin };
}
