/** Applies the changes of a list, as the daemon sends them, to the rows that are shown. */

/** A row that is new, one that is gone, or the fields of one that differ. */
export type Change = {
  readonly key: string;
  readonly row?: unknown;
  readonly gone?: true;
} & Readonly<Record<string, unknown>>;

export type Applied<Row> = {
  readonly rows: readonly Row[];
  /** The list has other rows now, or another order, so it must be read again. */
  readonly isStale: boolean;
};

/** The same rows if none of them has changed, so that nothing is drawn again. */
export function applied<Row extends object>(
  rows: readonly Row[],
  changes: ReadonlyMap<string, Change>,
  keyOf: (row: Row) => string,
  isSearched = false,
): Applied<Row> {
  let isStale = false;
  let isOther = false;
  const known = new Set<string>();
  const now = rows.map((row) => {
    const key = keyOf(row);
    known.add(key);
    const change = changes.get(key);
    if (change === undefined) return row;
    isOther = true;
    if (change.gone === true || isMoved(change) || isMovedAs(row, change)) isStale = true;
    return withChange(row, change);
  });
  // Only the server knows if a row that is not shown belongs in the list now, and at which place.
  const others = [...changes.values()].filter(({ key }) => !known.has(key));
  if (others.some((change) => change.row !== undefined || isMoved(change))) isStale = true;
  if (isSearched && [...changes.values()].some(hasTexts)) isStale = true;
  return { rows: isOther ? now : rows, isStale };
}

/** Keeps the changes that come while a list is read, as the server may have made its pages before them. */
type LateChanges<Row> = {
  readonly note: (changes: ReadonlyMap<string, Change>) => void;
  /**
   * Begins to read, what is searched or all; what is returned ends that, and applies what came meanwhile to the rows that
   * were read.
   */
  readonly begin: (isSearched?: boolean) => (rows: readonly Row[]) => Applied<Row>;
};

export function createLateChanges<Row extends object>(
  keyOf: (row: Row) => string,
): LateChanges<Row> {
  let late: Array<ReadonlyMap<string, Change>> | undefined;
  return {
    note: (changes) => void late?.push(changes),
    begin: (isSearched) => {
      const own: Array<ReadonlyMap<string, Change>> = [];
      late = own;
      return (read) => {
        late = undefined;
        let all: Applied<Row> = { rows: read, isStale: false };
        for (const changes of own) {
          const { rows, isStale } = applied(all.rows, changes, keyOf, isSearched);
          all = { rows, isStale: all.isStale || isStale };
        }
        return all;
      };
    },
  };
}

/** Fields by which lists are sorted or filtered. */
const SORTING = ["condition", "state", "status", "severity", "suppressed"];

/** Fields in which the words of a search may be. */
const TEXTS = ["facts", "labels", "annotations"];

function hasTexts(change: Change): boolean {
  return TEXTS.some((name) => name in change);
}

function isMoved(change: Change): boolean {
  return SORTING.some((name) => name in change);
}

/** Whether a row that is shown is sent whole, as one that was gone meanwhile is, and belongs elsewhere now. */
function isMovedAs(before: object, { row: again }: Change): boolean {
  if (again === undefined) return false;
  const was: Readonly<Record<string, unknown>> = { ...before };
  const sent: Readonly<Record<string, unknown>> = { ...again };
  return SORTING.some((name) => name in sent && sent[name] !== was[name]);
}

function withChange<Row extends object>(
  row: Row,
  { key: _key, row: again, gone, ...fields }: Change,
): Row {
  // Fields that only the list has, such as the alias, are not sent again.
  if (again !== undefined) return { ...row, ...again };
  if (gone === true) return row;
  const { facts: before } = row as { facts?: Readonly<Record<string, unknown>> };
  if (fields["facts"] === undefined || before === undefined) return { ...row, ...fields };
  // Only facts that differ are sent; null is a fact that is no longer known.
  const facts = Object.entries({ ...before, ...(fields["facts"] as object) });
  return {
    ...row,
    ...fields,
    facts: Object.fromEntries(facts.filter(([, value]) => value !== null)),
  };
}
