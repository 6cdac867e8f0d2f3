import { inOneSlice, toEnd } from "../../domain/slices.ts";
import type { Millis } from "../../domain/time.ts";
import type { Journal, JournalRecord } from "../../io/journal/journal.ts";
import { steadyNow } from "../../io/process/clock.ts";
import type { LoopJournal } from "./loop-journal.ts";

/** The same journal, which reports how long each commit took and whether it succeeded. */
export function metered(
  journal: LoopJournal,
  onCommit: (tookMs: Millis, isOk: boolean) => void,
): LoopJournal {
  if ("commitLater" in journal)
    return {
      rows: journal.rows,
      commitLater: async (record) => {
        const began = steadyNow();
        const committed = await journal.commitLater(record);
        onCommit(steadyNow() - began, committed.ok);
        return committed;
      },
    };
  const inSlices = journal.commitInSlices ?? inOneSlice(journal.commit);
  function* commitInSlices(record: JournalRecord): ReturnType<Journal["commitInSlices"]> {
    const began = steadyNow();
    const committed = yield* inSlices(record);
    onCommit(steadyNow() - began, committed.ok);
    return committed;
  }
  return { ...journal, commit: (record) => toEnd(commitInSlices(record)), commitInSlices };
}
