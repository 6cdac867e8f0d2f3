import { createRowCount, rowsToKeep } from "../core/restore-limits.ts";
import { restoreInSlices } from "../core/start.ts";
import type { State } from "../core/state.ts";
import type { Change, Policy } from "../domain/step.ts";
import { toEnd, type Slices } from "../domain/slices.ts";
import type { Instant } from "../domain/time.ts";
import type { LoopJournal } from "./commit/loop-journal.ts";

/** How many rows are deleted in one commit, and by one start: their keys are in memory meanwhile. */
const DELETED_AT_ONCE = 50_000;
const MOST_DELETED = 500_000;

/** State, and the rows beyond the limits, which are to be deleted. */
type Loaded = { readonly state: State; readonly others: readonly Change[] };

/** The state of a loop. Nothing can be decided before it is read from the journal. */
type Memory = {
  /** Throws before it is restored. */
  readonly stateSoFar: () => State;
  /** Reads all of it, instead of what was known; `onRow` is called for each row. Throws what to tell people. */
  readonly restore: (onRow?: () => void) => Slices;
  /**
   * Call it with the first event, as the journal reports to a daemon that is whole by then. A journal that cannot be
   * written keeps them, and the next start leaves them out again; one that answers later has them in its next commit.
   */
  readonly deleteOthers: (at: Instant, noteChanges: NoteChanges) => Slices;
};

type NoteChanges = (changes: readonly Change[]) => Slices;

export type MemoryWorld = {
  readonly journal: LoopJournal;
  /** The journal is read by `restore`, before the first event; without it, at once. */
  readonly isRestoredLater?: true | undefined;
};

export function createMemory(
  policy: () => Policy,
  { journal, isRestoredLater }: MemoryWorld,
): Memory {
  let loaded = isRestoredLater === true ? undefined : toEnd(loadInSlices(policy(), journal));
  const known = (): Loaded => {
    if (loaded === undefined) throw new Error("the journal is not restored yet");
    return loaded;
  };
  return {
    stateSoFar: () => known().state,
    restore: function* (onRow) {
      loaded = yield* loadInSlices(policy(), journal, onRow);
    },
    deleteOthers: function* (at, noteChanges) {
      const { state, others } = known();
      if (others.length === 0) return;
      yield* deleteRows(journal, others, at, noteChanges);
      loaded = { state, others: [] };
    },
  };
}

/** The instant of the last commit, from which instants only grow; 0 if there is none. Reads the counters alone, if it can. */
export function lastAtOf(journal: Pick<LoopJournal, "rows">): Instant {
  for (const { table, key, value } of journal.rows("counter"))
    if (table === "counter" && key === "at" && typeof value === "number") return value;
  return 0;
}

/** State as the journal has it, within the limits of the policy; `onRow` is called for each row that is read. */
function* loadInSlices(
  policy: Policy,
  journal: Pick<LoopJournal, "rows">,
  onRow: () => void = () => undefined,
): Slices<Loaded> {
  const isOver = createRowCount(policy);
  const read = function* (): Generator<Change> {
    for (const row of journal.rows()) {
      onRow();
      yield row;
    }
  };
  let hasTooMany = false;
  const rows = function* (): Generator<Change> {
    for (const row of read()) {
      if (isOver(row)) {
        hasTooMany = true;
        return;
      }
      yield row;
    }
  };
  const state = yield* restoreInSlices(rows());
  if (!hasTooMany) return { state, others: [] };
  const { stays, leftOut } = yield* rowsToKeep(policy, read);
  const others: Change[] = [];
  const keep = (row: Change): boolean => {
    if (stays(row)) return true;
    const { table, key } = row;
    if (others.length < MOST_DELETED) others.push({ table, key, value: undefined });
    return false;
  };
  const within = yield* restoreInSlices(read().filter(keep));
  for (const [group, count] of leftOut) if (count > 0) within.leftOut.set(group, count);
  return { state: within, others };
}

function* deleteRows(
  journal: LoopJournal,
  rows: readonly Change[],
  at: Instant,
  noteChanges: NoteChanges,
): Slices {
  if ("commitLater" in journal) return yield* noteChanges(rows);
  for (let from = 0; from < rows.length; from += DELETED_AT_ONCE) {
    const changes = rows.slice(from, from + DELETED_AT_ONCE);
    if (!journal.commit({ at, changes, findings: [] }).ok) return;
  }
}
