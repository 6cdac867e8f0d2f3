import type { Instant } from "../../domain/time.ts";
import { HOME } from "../../domain/lease.ts";
import { FINDING_RETENTION, type JournalBounds } from "../journal/journal.ts";
import { RECORD_SQL } from "../journal/record-pages.ts";
import type { Database, Value } from "./database.ts";
import { numbered } from "./text.ts";

/** So many commits long it is known what they deleted. */
export const COMMITS_KEPT_DELETED = 10_000;
const DELETED_AT_ONCE = 5_000;

/**
 * Deletes what is too old: of each unit that which it deleted, and for `home` all that is kept of the past, which the
 * units have in common. Rejects if the database is away.
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
  await query(numbered(RECORD_SQL.dropOld), [at - retentionMs]);
  for (;;) {
    const [size] = await query(RECORD_SQL.bytes);
    if (Number(size?.["bytes"] ?? 0) <= maxBytes) return;
    if ((await query(`${RECORD_SQL.dropOldest} RETURNING 1`)).length === 0) return;
  }
}
