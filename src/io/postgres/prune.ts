import type { Instant } from "../../domain/time.ts";
import { HOME } from "../../domain/lease.ts";
import { FINDING_RETENTION, type JournalBounds } from "../journal/retention.ts";
import type { JournalReading } from "../journal/past.ts";
import { DROP_SQL, dropValues, pagesOf } from "../journal/record-pages.ts";
import type { Ask, Database, Value } from "./database.ts";
import { numbered } from "./text.ts";

/** The newest commits whose deleted rows the journal remembers. */
export const COMMITS_KEPT_DELETED = 10_000;
const DELETED_AT_ONCE = 5_000;

/**
 * Deletes what is too old: the marks of deleted rows of the unit, and for `home` also findings, record and commands,
 * which all units share. Rejects if the database is away.
 */
export async function prune(
  { query }: Pick<Database, "query">,
  record: Recorded,
  unit: string,
  at: Instant,
  { mostFindings, record: { retentionMs, maxBytes } }: Required<JournalBounds>,
): Promise<void> {
  const drop = async (sql: string, values: readonly Value[]): Promise<void> => {
    while ((await query(sql, values)).length === DELETED_AT_ONCE);
  };
  // What the outer condition leaves out is not looked at again if a commit wrote the row meanwhile. A row that is being
  // written is passed over: the commit locks rows in another order, and each could wait for the other.
  await drop(
    `DELETE FROM state WHERE unit = $1 AND value IS NULL AND (name, key) IN (
       SELECT name, key FROM state
       WHERE unit = $1 AND value IS NULL
         AND sequence < (SELECT last_sequence FROM lease WHERE unit = $1) - $2
       LIMIT ${DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED) RETURNING 1`,
    [unit, COMMITS_KEPT_DELETED],
  );
  if (unit !== HOME) return;
  await drop(
    `DELETE FROM finding WHERE seq IN (
       SELECT seq FROM finding WHERE at < $1 OR seq <= (SELECT max(seq) FROM finding) - $2
       LIMIT ${DELETED_AT_ONCE}) RETURNING 1`,
    [at - FINDING_RETENTION, mostFindings],
  );
  await pruneRecord(query, record, at - retentionMs, maxBytes);
  await drop(
    `DELETE FROM command WHERE id IN (
       SELECT id FROM command WHERE asked_at < clock_timestamp() - $1 * interval '1 ms'
       LIMIT ${DELETED_AT_ONCE}) RETURNING 1`,
    [FINDING_RETENTION],
  );
}

type Recorded = Pick<JournalReading, "recordUnits" | "recordSpan">;

async function pruneRecord(
  query: Ask,
  { recordUnits, recordSpan }: Recorded,
  before: Instant,
  maxBytes: number,
): Promise<void> {
  for (const unit of await recordUnits()) {
    await query(numbered(DROP_SQL.old), dropValues.old(unit, before));
    // The unit no longer exists, because the number of shards changed.
    const span = await recordSpan(unit);
    if (span !== undefined && span.lastAt < before)
      await query("DELETE FROM record WHERE seq >= $1 AND seq < $2", pagesOf(unit));
  }
  for (;;) {
    const [size] = await query(DROP_SQL.bytes);
    if (Number(size?.["bytes"] ?? 0) <= maxBytes) return;
    if (!(await dropOldest(query, { recordUnits, recordSpan }))) return;
  }
}

/** Deletes the oldest chapter of all units; false if each has only one. */
async function dropOldest(query: Ask, { recordUnits, recordSpan }: Recorded): Promise<boolean> {
  const begun: Array<{ readonly unit: string; readonly first: Instant }> = [];
  for (const unit of await recordUnits())
    begun.push({ unit, first: (await recordSpan(unit))?.firstAt ?? 0 });
  for (const { unit } of begun.toSorted((one, other) => one.first - other.first)) {
    const sql = `${numbered(DROP_SQL.oldest)} RETURNING 1`;
    if ((await query(sql, dropValues.oldest(unit))).length > 0) return true;
  }
  return false;
}
