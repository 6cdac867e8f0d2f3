import { createRowCount, rowsToKeep } from "../core/restore-limits.ts";
import { restore } from "../core/start.ts";
import type { State } from "../core/state.ts";
import type { Change, Policy } from "../domain/step.ts";
import type { Slices } from "../domain/slices.ts";
import type { Instant } from "../domain/time.ts";
import type { LoopJournal } from "./commit/loop-journal.ts";

/** How many rows are deleted in one commit, and by one start: their keys are in memory meanwhile. */
const DELETED_AT_ONCE = 50_000;
const MOST_DELETED = 500_000;

/** State, and the rows beyond the limits, which are to be deleted. */
export type Loaded = { readonly state: State; readonly others: readonly Change[] };

/** State as the journal has it, within the limits of the policy. */
export function loadState(policy: Policy, journal: Pick<LoopJournal, "rows">): Loaded {
  const isOver = createRowCount(policy);
  let hasTooMany = false;
  const rows = function* (): Generator<Change> {
    for (const row of journal.rows()) {
      if (isOver(row)) {
        hasTooMany = true;
        return;
      }
      yield row;
    }
  };
  const state = restore(rows());
  if (!hasTooMany) return { state, others: [] };
  const { stays, leftOut } = rowsToKeep(policy, journal.rows);
  const others: Change[] = [];
  const keep = (row: Change): boolean => {
    if (stays(row)) return true;
    const { table, key } = row;
    if (others.length < MOST_DELETED) others.push({ table, key, value: undefined });
    return false;
  };
  const within = restore(Iterator.from(journal.rows()).filter(keep));
  for (const [group, count] of leftOut) if (count > 0) within.leftOut.set(group, count);
  return { state: within, others };
}

/**
 * Call it with the first event, as the journal reports to a daemon that is whole by then. A journal that cannot be
 * written keeps them, and the next start leaves them out again; one that answers later has them in its next commit.
 * Gives what is left to delete: nothing.
 */
export function* deleteRows(
  journal: LoopJournal,
  rows: readonly Change[],
  at: Instant,
  noteChanges: (changes: readonly Change[]) => Slices,
): Slices<readonly Change[]> {
  if ("commitLater" in journal) yield* noteChanges(rows);
  else
    for (let from = 0; from < rows.length; from += DELETED_AT_ONCE) {
      const changes = rows.slice(from, from + DELETED_AT_ONCE);
      if (!journal.commit({ at, changes, findings: [] }).ok) break;
    }
  return [];
}
