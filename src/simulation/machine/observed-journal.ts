import { succeed } from "../../domain/result.ts";
import type { Journal, JournalRecord } from "../../io/journal/journal.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { Mortality } from "./mortality.ts";

/** The journal of one process: a dead process writes nothing, and each commit passes its boundaries. */
export function observedJournal(
  journal: Journal,
  disk: SimulatedDisk,
  { isAlive, pass, isArmed }: Pick<Mortality, "isAlive" | "pass" | "isArmed">,
): Pick<Journal, "rows" | "commit" | "inPlace" | "sync"> & { readonly isDurable: () => boolean } {
  let isCommitted = true;
  return {
    rows: () => (isAlive() ? journal.rows() : []),
    inPlace: journal.inPlace,
    sync: () => {
      if (!isAlive()) return succeed(undefined);
      const made = journal.sync();
      isCommitted = made.ok;
      return made;
    },
    commit: (record) => {
      const acts = isOfAction(record);
      pass("before_commit");
      if (acts) pass("before_commit_of_action");
      if (!isAlive()) return succeed(undefined);
      const commit = (): ReturnType<Journal["commit"]> => {
        const slices = journal.commitInSlices(record);
        for (let slice = slices.next(); ; slice = slices.next()) {
          if (slice.done === true) return slice.value;
          if (isArmed("within_commit") && !disk.isCommitComplete()) pass("within_commit");
          // The commit is in force: the process dies once the step was shown, and the next one brings the rest in.
          const isLeft = isArmed("commit_complete") && disk.isCommitComplete();
          if (isLeft || !isAlive()) return succeed(undefined);
        }
      };
      const committed = acts ? disk.commitAction(commit) : commit();
      isCommitted = committed.ok;
      return committed;
    },
    /** Whether the last step is on disk; one that has nothing to write counts as written. */
    isDurable: () => {
      const isDurable = isCommitted;
      isCommitted = true;
      return isDurable;
    },
  };
}

/** Whether the record holds the row of an action that is about to be sent. */
export function isOfAction({ changes }: JournalRecord): boolean {
  return changes.some(
    ({ table, value }) =>
      table === "remediation" &&
      (value as { readonly state?: string } | undefined)?.state === "requested",
  );
}
