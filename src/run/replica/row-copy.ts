import type { Change } from "../../domain/step.ts";
import type { Millis } from "../../domain/time.ts";
import type { PostgresReading } from "../../io/postgres/journal.ts";
import { steadyNow } from "../../io/process/clock.ts";

/** The rows of a journal that another replica writes, as they were when they were last read. */
export type RowCopy = {
  readonly rows: () => Iterable<Change>;
  /** Reads what was written since; true if that is anything. Rejects if the database is away. */
  readonly refresh: () => Promise<boolean>;
  /** How long ago they were read; endless before the first time. */
  readonly ageMs: () => Millis;
};

/** The rows of several units as those of one journal; what two have is that of the first. */
export function joinCopies(copies: readonly RowCopy[]): RowCopy {
  return {
    rows: function* () {
      const seen = new Set<string>();
      for (const copy of copies)
        for (const row of copy.rows()) {
          const key = `${row.table} ${row.key}`;
          if (seen.has(key)) continue;
          if (copies.length > 1) seen.add(key);
          yield row;
        }
    },
    ageMs: () => Math.max(...copies.map(({ ageMs }) => ageMs())),
    refresh: async () => {
      let isNew = false;
      for (const { refresh } of copies) isNew = (await refresh()) || isNew;
      return isNew;
    },
  };
}

export function createRowCopy(journal: Pick<PostgresReading, "read" | "readSince">): RowCopy {
  const rows = new Map<string, Change>();
  let known: number | undefined;
  let readAt: Millis = Number.NEGATIVE_INFINITY;
  return {
    rows: () => rows.values(),
    ageMs: () => steadyNow() - readAt,
    refresh: async () => {
      const began = steadyNow();
      const news = known === undefined ? undefined : await journal.readSince(known);
      const { rows: changes, stamp } = news ?? (await journal.read());
      const isNew = news === undefined || stamp.sequence !== known;
      if (news === undefined) rows.clear();
      for (const row of changes) {
        const key = `${row.table} ${row.key}`;
        if (row.value === undefined) rows.delete(key);
        else rows.set(key, row);
      }
      known = stamp.sequence;
      readAt = began;
      return isNew;
    },
  };
}
