import { useEffect, useState } from "preact/hooks";
import { isLive, type Topic } from "./events.ts";
import { isPassing, read } from "./fetch.ts";
import { asOf, minutes, revision, shownAt } from "./store.ts";
import { useChanges } from "./use-changes.ts";
import { useRetries } from "./use-retries.ts";
import { useTurn } from "./use-turn.ts";

/** A long list, which the server gives page by page, and then only its changes. */
export type Pages<Page, Row> = {
  /** The last page that was read: it has the counts. */
  readonly last: Page | undefined;
  readonly rows: readonly Row[];
  readonly problem: string | undefined;
  /** How many pages were asked for. */
  readonly count: number;
  /** Reads one more page, if there is one and none is on its way. */
  readonly more: () => void;
};

/** No message says that a text has another age in it. */
const WITH_AGES: ReadonlySet<Topic> = new Set(["alerts"]);

type Paged = { readonly next: string | null };

export type Listed<Page extends Paged, Row> = {
  /** Undefined: nothing is asked for now. */
  readonly path: string | undefined;
  /** Which changes are sent; a list without any is read again whenever something may have changed. */
  readonly topic?: Topic;
  /** The past does not change, so each page is read once. */
  readonly isPast?: boolean;
  readonly rowsOf: (page: Page) => readonly Row[];
  readonly keyOf: (row: Row) => string;
};

type Loaded<Page, Row> = {
  readonly path: string | undefined;
  /** The turn in which it was read from the start. */
  readonly turn: number;
  readonly last: Page | undefined;
  readonly rows: readonly Row[];
  readonly count: number;
  readonly problem?: string;
  /** A new one for each answer that a repetition may change; undefined if the last answer was none. */
  readonly due?: object | undefined;
};

/**
 * The pages of a list that were asked for so far. Fields that change are changed in place; if rows come or go, the
 * pages are read again one after the other, and shown as a whole, so that nothing jumps while a person reads.
 */
export function usePages<Page extends Paged, Row extends object>(
  list: Listed<Page, Row>,
): Pages<Page, Row> {
  const { topic, keyOf } = list;
  const at = shownAt.value;
  const path = list.path === undefined ? undefined : asOf(list.path, at);
  const empty = { path, turn: -1, ...NO_PAGES };
  const [loaded, setLoaded] = useState<Loaded<Page, Row>>(empty);
  const [wanted, setWanted] = useState(1);
  const isOther = loaded.path !== path;
  // Not the rows: they may change more often than it is tried again.
  const tries = useRetries(isOther ? undefined : loaded.due);
  const { stale, isStale, begin } = useChanges<Row>({
    path,
    topic: at === undefined ? topic : undefined,
    keyOf,
    onRows: (now) =>
      setLoaded((before) => {
        const rows = now(before.rows);
        return rows === before.rows ? before : { ...before, rows };
      }),
  });
  // Without messages of changes the list is read again as often as the overview.
  const isFixed = at !== undefined || list.isPast === true;
  const current = isFixed
    ? 0
    : isLive.value && topic !== undefined
      ? stale + (WITH_AGES.has(topic) ? minutes.value : 0)
      : revision.value;
  const { turn, setReading } = useTurn(current);
  useEffect(() => {
    if (path === undefined) return undefined;
    const gone = new AbortController();
    setReading(true);
    const load = async (): Promise<void> => {
      // If nothing was read or changed since, only what follows is read.
      const isOn = !isOther && loaded.turn === turn && !isStale();
      const before = isOn ? loaded : NO_PAGES;
      const end = begin();
      const answer = await readPages(path, list.rowsOf, isOther ? 1 : wanted, gone.signal, before);
      if (gone.signal.aborted) return;
      setReading(false);
      const rows = end(answer.rows);
      if (isOther) setWanted(1);
      // If reading again fails, the rows stay as they were.
      setLoaded((last) =>
        answer.due !== undefined && last.path === path && last.last !== undefined
          ? { ...last, problem: answer.problem ?? "", due: answer.due }
          : { path, turn, ...answer, rows: isOn ? [...last.rows, ...rows] : rows },
      );
    };
    void load();
    return () => {
      setReading(false);
      gone.abort();
    };
  }, [path, turn, wanted, tries]);
  const { last, rows, count, problem } = isOther ? { ...empty, problem: undefined } : loaded;
  const more = (): void => {
    if (last !== undefined && last.next !== null && count === wanted) setWanted(wanted + 1);
  };
  return { last, rows, problem, count, more };
}

type Read<Page, Row> = Omit<Loaded<Page, Row>, "path" | "turn">;
const NO_PAGES = { last: undefined, rows: [], count: 0 };

/** The rows of the pages up to so many that come after those `before`. */
async function readPages<Page extends Paged, Row>(
  path: string,
  rowsOf: (page: Page) => readonly Row[],
  count: number,
  signal: AbortSignal,
  before: Pick<Read<Page, Row>, "last" | "count">,
): Promise<Read<Page, Row>> {
  const rows: Row[] = [];
  let { last } = before;
  for (let page = before.count + 1; page <= count && last?.next !== null; page += 1) {
    const end = last === undefined ? "" : `&cursor=${encodeURIComponent(last.next ?? "")}`;
    const answer = await read<Page>(`${path}${end}`, signal);
    if (!answer.ok) {
      const due = isPassing(answer) ? answer : undefined;
      return { rows, last, count: page - 1, problem: answer.problem, due };
    }
    last = answer.value;
    rows.push(...rowsOf(last));
  }
  return { rows, last, count };
}
