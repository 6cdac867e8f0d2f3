import type { DatabaseSync } from "node:sqlite";
import { DAY, type Instant, type Millis } from "../../domain/time.ts";
import type { RecordBounds } from "./record-pages.ts";
import type { RowWriter } from "./rows.ts";

/** How many findings and pages a journal keeps, and how the rest is deleted. */

/** How long findings are kept, and how many at the most, so that the file has a bound. */
export const FINDING_RETENTION: Millis = 30 * DAY;
export const MOST_FINDINGS = 500_000;

/** How much of the record is kept, unless the settings say otherwise. */
export const RECORD_BOUNDS: RecordBounds = { retentionMs: 30 * DAY, maxBytes: 536_870_912 };

export type JournalBounds = { readonly mostFindings?: number; readonly record?: RecordBounds };

/** Old findings and pages are deleted once in so many commits. */
export const COMMITS_PER_PRUNING = 500;

const PRUNED_AT_ONCE = 2_000;

/** Deletes old findings and pages now and then, in the caller's transaction; many findings take several turns. */
export function pruning(
  database: DatabaseSync,
  { pages }: RowWriter,
  { mostFindings = MOST_FINDINGS, record = RECORD_BOUNDS }: JournalBounds,
): (at: Instant) => void {
  const prune = database.prepare(
    `DELETE FROM finding WHERE seq IN (
       SELECT seq FROM finding
       WHERE seq <= (SELECT max(seq) FROM finding) - ? OR at < ? ORDER BY seq LIMIT ${PRUNED_AT_ONCE}
     )`,
  );
  let commits = 0;
  return (at) => {
    commits += 1;
    if (commits < COMMITS_PER_PRUNING) return;
    const { changes } = prune.run(mostFindings, at - FINDING_RETENTION);
    if (Number(changes) === PRUNED_AT_ONCE) return;
    pages.prune(at, record);
    commits = 0;
  };
}
