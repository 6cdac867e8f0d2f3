import type { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { messageOf } from "../process/error-message.ts";

/** The journal's file while something else reads it beside the process that has it open. */
export type FrozenFile = {
  /**
   * Brings all that is committed into the file, and lets no byte of it change until `thawFile`: what is committed
   * meanwhile is in the write-ahead log alone, which grows. The problem is why that cannot be, as a full disk.
   */
  readonly freezeFile: () => Result<void, string>;
  readonly thawFile: () => void;
};

/** When the write-ahead log is brought into the file. */
export type LogTransfer = FrozenFile & {
  /**
   * Until `bringIn`, a commit leaves what it wrote in the log: to write a large one there takes as long as to bring it
   * into the file, and each can be a slice.
   */
  readonly holdBack: () => void;
  /** Brings it in now, unless the file is frozen, and after each commit again. */
  readonly bringIn: () => void;
};

/** SQLite's own default: so many pages in the log, and it is brought into the file. */
const USUAL_LOG_PAGES = 1_000;

export function logTransfer(database: DatabaseSync): LogTransfer {
  let isFrozen = false;
  const bringInAfter = (pages: number): void =>
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  const thawFile = (): void => {
    isFrozen = false;
    bringInAfter(USUAL_LOG_PAGES);
  };
  return {
    freezeFile: () => {
      try {
        isFrozen = true;
        bringInAfter(0);
        const done = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
        if (done?.["busy"] === 0) return succeed(undefined);
        throw new Error("its write-ahead log is being read");
      } catch (error) {
        thawFile();
        return fail(messageOf(error));
      }
    },
    thawFile,
    holdBack: () => bringInAfter(0),
    bringIn: () => {
      if (isFrozen) return;
      bringInAfter(USUAL_LOG_PAGES);
      database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    },
  };
}
