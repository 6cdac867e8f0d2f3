import { statSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Millis } from "../../domain/time.ts";
import type { Journal } from "./journal.ts";
import { JOURNAL_FILE } from "./file.ts";

/** The same journal, that tells how long each commit took and whether it came out. */
export function meterCommits<Some extends Pick<Journal, "commit">>(
  journal: Some,
  told: (tookMs: Millis, isOk: boolean) => void,
): Some {
  return {
    ...journal,
    commit: (record) => {
      const began = performance.now();
      const committed = journal.commit(record);
      told(performance.now() - began, committed.ok);
      return committed;
    },
  };
}

/** Bytes of the journal and of its write-ahead log; what is not there has none. */
export function journalBytes(directory: string): number {
  return ["", "-wal"].reduce((sum, suffix) => {
    const file = statSync(join(directory, JOURNAL_FILE + suffix), { throwIfNoEntry: false });
    return sum + (file?.size ?? 0);
  }, 0);
}
