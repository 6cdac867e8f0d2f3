import type { Instant } from "../../domain/time.ts";
import { HOME } from "../../domain/lease.ts";
import { FINDING_RETENTION, type JournalBounds } from "../journal/retention.ts";
import { pagesOf, RECORD_SQL, recordValues } from "../journal/record-pages.ts";
import type { Ask, Database, Value } from "./database.ts";
import { recordUnits } from "./pages.ts";
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
  unit: string,
  at: Instant,
  { mostFindings, record: { retentionMs, maxBytes } }: Required<JournalBounds>,
): Promise<void> {
  const drop = async (sql: string, values: readonly Value[]): Promise<void> => {
    while ((await query(sql, values)).length === DELETED_AT_ONCE);
  };
  await drop(
    `DELETE FROM state WHERE unit = $1 AND (name, key) IN (
       SELECT name, key FROM state
       WHERE unit = $1 AND value IS NULL
         AND sequence < (SELECT last_sequence FROM lease WHERE unit = $1) - $2
       LIMIT ${DELETED_AT_ONCE}) RETURNING 1`,
    [unit, COMMITS_KEPT_DELETED],
  );
  if (unit !== HOME) return;
  await drop(
    `DELETE FROM finding WHERE seq IN (
       SELECT seq FROM finding WHERE at < $1 OR seq <= (SELECT max(seq) FROM finding) - $2
       LIMIT ${DELETED_AT_ONCE}) RETURNING 1`,
    [at - FINDING_RETENTION, mostFindings],
  );
  await pruneRecord(query, at - retentionMs, maxBytes);
  await drop(
    `DELETE FROM command WHERE id IN (
       SELECT id FROM command WHERE asked_at < clock_timestamp() - $1 * interval '1 ms'
       LIMIT ${DELETED_AT_ONCE}) RETURNING 1`,
    [FINDING_RETENTION],
  );
}

async function pruneRecord(query: Ask, before: Instant, maxBytes: number): Promise<void> {
  for (const unit of await recordUnits(query)) {
    await query(numbered(RECORD_SQL.dropOld), recordValues.dropOld(unit, before));
    // The unit no longer exists, because the number of shards changed.
    const { last } = await endsOf(query, unit);
    if (last < before) await query(numbered(RECORD_SQL.drop), pagesOf(unit));
  }
  for (;;) {
    const [size] = await query(RECORD_SQL.bytes);
    if (Number(size?.["bytes"] ?? 0) <= maxBytes) return;
    if (!(await dropOldest(query))) return;
  }
}

/** Deletes the oldest chapter of all units; false if each has only one. */
async function dropOldest(query: Ask): Promise<boolean> {
  const begun: Array<{ readonly unit: string; readonly first: Instant }> = [];
  for (const unit of await recordUnits(query))
    begun.push({ unit, first: (await endsOf(query, unit)).first });
  for (const { unit } of begun.toSorted((one, other) => one.first - other.first)) {
    const sql = `${numbered(RECORD_SQL.dropOldest)} RETURNING 1`;
    if ((await query(sql, recordValues.dropOldest(unit))).length > 0) return true;
  }
  return false;
}

async function endsOf(query: Ask, unit: string): Promise<{ first: Instant; last: Instant }> {
  const [row] = await query(numbered(RECORD_SQL.ends), recordValues.ends(unit));
  return { first: Number(row?.["first"]), last: Number(row?.["last"]) };
}
