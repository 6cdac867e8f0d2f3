import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Change } from "../../domain/step.ts";
import type { JournalRecord } from "./journal.ts";

/**
 * The journal of one unit of ownership, in a database that several replicas share. It may answer late, and it writes
 * for the owner of the unit's lease alone.
 */
export type SharedJournal = {
  /** The rows and the newest stamp, of one instant; no owner of a lower epoch than `epoch` commits after it. */
  readonly load: (epoch: number) => Promise<Result<LoadedRows, CommitProblem>>;
  /**
   * Writes all or nothing, if `checkFence` allows it over the stamp that the same transaction locks and replaces. The
   * record is read before this returns: the values of its rows change afterwards. It never rejects.
   */
  readonly commit: (record: JournalRecord, fence: Fence) => Promise<Result<void, CommitProblem>>;
  /** The newest stamp, read under the same lock, so that it waits for a commit that is under way. It never rejects. */
  readonly stamp: () => Promise<Result<CommitStamp, CommitProblem>>;
};

export type LoadedRows = { readonly rows: readonly Change[]; readonly stamp: CommitStamp };

/** Identifies the last commit of a unit: the epoch of the lease, and its number among the attempts to commit. */
export type CommitStamp = {
  readonly epoch: number;
  readonly sequence: number;
  /** Another has the lease of this epoch: a database that lost a take-over gives the same epoch again. */
  readonly isOthers?: boolean;
};

/**
 * A commit's own stamp, and the number that it must follow. Each attempt has its own number, even if it repeats
 * another: if the earlier one arrives after all, the number tells which of the two is in the database.
 */
export type Fence = Omit<CommitStamp, "isOthers"> & { readonly after: number };

/**
 * Why a commit did not succeed.
 *
 * - `unavailable`: nothing of it is committed.
 * - `fenced`: nothing of it is committed, and the unit has another owner, or the database a newer schema.
 * - `unknown`: the connection broke meanwhile, or another attempt came before; `stamp` says what is committed.
 */
export type CommitProblem = {
  readonly kind: "unavailable" | "fenced" | "unknown";
  readonly detail: string;
};

/** Whether a commit may be written over the stamp that it finds. A store checks this in its transaction. */
export function checkFence(found: CommitStamp, fence: Fence): Result<void, CommitProblem> {
  if (found.epoch !== fence.epoch)
    return fail({
      kind: "fenced",
      detail:
        lossText(found, { epoch: fence.epoch, sequence: fence.after }) ??
        `the lease has the epoch ${found.epoch} now, and this replica had ${fence.epoch}`,
    });
  if (found.isOthers === true) return fail({ kind: "fenced", detail: othersText(found) });
  if (found.sequence !== fence.after)
    return fail({
      kind: "unknown",
      detail: `the last commit is number ${found.sequence}, and ${fence.after} was expected`,
    });
  return succeed(undefined);
}

/** The message if another owner has the same epoch. */
export function othersText({ epoch }: CommitStamp): string {
  return `the lease of the epoch ${epoch} is not this replica's: the database has lost who had it, and counted again`;
}

/**
 * The message if a database has lost acknowledged commits, because an older state of it was restored or promoted;
 * undefined if it has not. Epochs and numbers only grow.
 */
export function lossText(found: CommitStamp, known: CommitStamp): string | undefined {
  const isLater = found.epoch > known.epoch;
  if (isLater || (found.epoch === known.epoch && found.sequence >= known.sequence))
    return undefined;
  return `the database has lost what it had acknowledged: its last commit is number ${found.sequence} under the epoch ${found.epoch}, and number ${known.sequence} under ${known.epoch} was there`;
}
