import type { DatabaseSync } from "node:sqlite";
import { DAY, type Instant, type Millis } from "../../domain/time.ts";
import type { RecordBounds } from "./record-pages.ts";
import type { RowWriter } from "./rows.ts";

/** How much a journal keeps of what was found and observed, and what deletes the rest. */

/** How long findings are kept, and how many at the most: the file has a bound. */
export const FINDING_RETENTION: Millis = 30 * DAY;
export const MOST_FINDINGS = 500_000;

/** How much is kept of what was observed, unless the settings say otherwise. */
export const RECORD_BOUNDS: RecordBounds = { retentionMs: 30 * DAY, maxBytes: 536_870_912 };

export type JournalBounds = { readonly mostFindings?: number; readonly record?: RecordBounds };

/** After so many commits, what is too old is deleted. */
export const COMMITS_PER_PRUNING = 500;

const PRUNED_AT_ONCE = 2_000;

/** Deletes what is too old, now and then, in the transaction of the caller; many findings take several turns. */
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
