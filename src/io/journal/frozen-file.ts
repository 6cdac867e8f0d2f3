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

/** SQLite's own default: so many pages in the log, and it is brought into the file. */
const USUAL_LOG_PAGES = 1_000;

export function frozenFile(database: DatabaseSync): FrozenFile {
  const bringInAfter = (pages: number): void =>
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  const thawFile = (): void => bringInAfter(USUAL_LOG_PAGES);
  return {
    freezeFile: () => {
      try {
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
  };
}
