import type { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { messageOf } from "../../domain/error-message.ts";
import { inTransaction, versionOf } from "./database.ts";

/** Freezes the journal's file while something else reads it beside the process that has it open. */
export type FrozenFile = {
  /**
   * Brings all commits into the file, and lets no byte of it change until `thawFile`: later commits stay in the
   * write-ahead log, which grows. Fails on a full disk, for example.
   */
  readonly freezeFile: () => Result<void, string>;
  readonly thawFile: () => void;
};

/** Commits that are not yet safe from a loss of power. */
export type Unsynced = {
  /** Call it before anything is written. Throws if nothing may be. */
  readonly beforeWrite: () => void;
  /** Whether so many have not waited for the disk that the next one has to. */
  readonly areMany: () => boolean;
  /** A commit has succeeded, or is about to; if it waited for the disk, all before it are safe too. */
  readonly committed: (isSynced: boolean) => void;
  readonly failed: () => void;
  /** Makes all of it safe. Throws as SQLite does. */
  readonly sync: () => void;
};

/**
 * The most commits in a row that do not wait for the disk, so that damage differs from what a loss of power may do.
 * The parts of a large commit are not counted: as large as they are, only a few fit between two checkpoints.
 */
export const MOST_UNSYNCED = 32;

/** SQLite's own default: with so many pages in the log, it is brought into the file. */
const USUAL_LOG_PAGES = 1_000;

/** Controls when the write-ahead log goes into the file, and knows if it is safe where it is. */
export function writeAheadLog(
  database: DatabaseSync,
): FrozenFile & { readonly unsynced: Unsynced } {
  let isFrozen = false;
  let pending = 0;
  let mayBeTorn = false;
  const bringInAfter = (pages: number): void => {
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
    isFrozen = pages === 0;
  };
  const thawFile = (): void => bringInAfter(USUAL_LOG_PAGES);
  const beforeWrite = (): void => {
    if (!mayBeTorn) return;
    // A disk that fails to sync may have dropped any page of the log that was not safe yet, and reports that only once.
    // Without that page everything later in the log is lost, so the log must be in the file before it grows.
    if (isFrozen) throw new Error("the disk failed, and the journal is being read");
    bringIn(database);
    mayBeTorn = false;
    pending = 0;
  };
  return {
    freezeFile: () => {
      try {
        bringInAfter(0);
        bringIn(database);
        return succeed(undefined);
      } catch (error) {
        thawFile();
        return fail(messageOf(error));
      }
    },
    thawFile,
    unsynced: {
      beforeWrite,
      areMany: () => pending >= MOST_UNSYNCED,
      committed: (isSynced) => {
        pending = isSynced ? 0 : pending + 1;
      },
      failed: () => {
        mayBeTorn ||= pending > 0;
      },
      sync: () => {
        if (pending === 0) return;
        beforeWrite();
        // SQLite waits for the disk only if there is something to write.
        inTransaction(database, () =>
          database.exec(`PRAGMA user_version = ${versionOf(database)}`),
        );
        pending = 0;
      },
    },
  };
}

function bringIn(database: DatabaseSync): void {
  const done = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  if (done?.["busy"] !== 0) throw new Error("its write-ahead log is being read");
}
