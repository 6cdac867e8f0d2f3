import type { Alert } from "../../domain/alert.ts";
import { LEFT_TO_HOME } from "../units/unit-setup.ts";
import type { Change } from "../../domain/step.ts";
import type { Millis } from "../../domain/time.ts";
import type { Database } from "../../io/postgres/database.ts";
import { readingOf, type PostgresReading, type ReadRows } from "../../io/postgres/journal.ts";
import { createListingRows } from "../../io/postgres/listing-rows.ts";
import { steadyNow } from "../../io/process/clock.ts";

/** The rows of a journal that another replica writes, as they were when they were last read. */
export type RowCopy = {
  readonly rows: () => Iterable<Change>;
  /**
   * Reads what was written since: the rows that may differ, which are none if a commit changed no row; undefined if
   * nothing was written. Rejects if the database is away.
   */
  readonly refresh: () => Promise<readonly Change[] | undefined>;
  /** How long ago they were read; infinite before the first time. */
  readonly ageMs: () => Millis;
  readonly size: () => number;
  /** Gives the memory back. */
  readonly forget: () => void;
};

/** The rows of several units as those of one journal. */
export type JoinedCopy = Omit<RowCopy, "size" | "forget"> & {
  /** How many units are left out, as those before them fill the limit. */
  readonly leftOut: () => number;
};

/** About 2 GB. The unit that exceeds it is still included. */
export const MOST_ROWS = 1_000_000;

/** If two units have the same row, that of the first counts; of a listing, each has a part. */
export function joinCopies(copies: readonly RowCopy[], most: number = MOST_ROWS): JoinedCopy {
  let shown = copies;
  // Kept until all are read: if the database is away in between, what the first had to say is not lost.
  let news: Change[] | undefined;
  const note = (changes: Iterable<Change>): void => {
    news ??= [];
    for (const change of changes) news.push(change);
  };
  return {
    rows: function* () {
      const seen = new Set<string>();
      const listings = createListingRows();
      for (const copy of shown)
        for (const row of copy.rows()) {
          if (copies.length > 1 && listings.take(row)) continue;
          const key = `${row.table} ${row.key}`;
          if (seen.has(key)) continue;
          if (copies.length > 1) seen.add(key);
          yield row;
        }
      yield* listings.whole();
    },
    ageMs: () => Math.max(...shown.map(({ ageMs }) => ageMs())),
    leftOut: () => copies.length - shown.length,
    refresh: async () => {
      let rows = 0;
      let count = 0;
      for (const copy of copies) {
        if (rows > most) break;
        const changes = await copy.refresh();
        if (changes !== undefined) note(changes);
        rows += copy.size();
        count += 1;
      }
      for (const copy of shown.slice(count)) note(copy.rows());
      shown = copies.slice(0, count);
      for (const copy of copies.slice(count)) copy.forget();
      const changes = news;
      news = undefined;
      return changes;
    },
  };
}

type Read = Omit<ReadRows, "rows">;

/** A database that has lost a take-over gives its epoch to another. */
function isSameOwner(one: Read, other: Read): boolean {
  return one.stamp.epoch === other.stamp.epoch && one.owner === other.owner;
}

/** Rows that are not shown are read and dropped. */
export function createRowCopy(
  journal: Pick<PostgresReading, "read" | "readSince">,
  isShown: (row: Change) => boolean = () => true,
): RowCopy {
  const rows = new Map<string, Change>();
  let known: Read | undefined;
  let readAt: Millis = Number.NEGATIVE_INFINITY;
  return {
    rows: () => rows.values(),
    ageMs: () => steadyNow() - readAt,
    size: () => rows.size,
    forget: () => {
      rows.clear();
      known = undefined;
    },
    refresh: async () => {
      const began = steadyNow();
      const since = known && (await journal.readSince(known.stamp.sequence));
      // Under another owner the database may have been restored to an older state in between, and have more by now.
      const news = since && known && isSameOwner(since, known) ? since : undefined;
      const { rows: all, ...read } = news ?? (await journal.read());
      const changes = [...all].filter(isShown);
      const isNew = news === undefined || read.stamp.sequence !== known?.stamp.sequence;
      const before = news === undefined ? [...rows.values()] : [];
      if (news === undefined) rows.clear();
      for (const row of changes) {
        const key = `${row.table} ${row.key}`;
        if (row.value === undefined) rows.delete(key);
        else rows.set(key, row);
      }
      known = read;
      readAt = began;
      return isNew ? [...before, ...changes] : undefined;
    },
  };
}

/** Units of senders keep such alerts for themselves: people are notified of, and shown, what `home` says. */
function isOfUnit(row: Change): boolean {
  return (
    row.table !== "alert" || !LEFT_TO_HOME.has((row.value as Alert | undefined)?.entity.kind ?? "")
  );
}

/** The rows of `home` and of the units of senders, as those of one journal. */
export function copyOfAll(
  database: Database,
  home: PostgresReading,
  units: readonly string[],
): JoinedCopy {
  const copies = units.map((unit) => createRowCopy(readingOf(database, unit), isOfUnit));
  return joinCopies([createRowCopy(home), ...copies]);
}
