import { toEnd } from "../../domain/slices.ts";
import type { Millis } from "../../domain/time.ts";
import { steadyNow } from "../process/clock.ts";
import type { Journal, JournalRecord } from "./journal.ts";

/** The same journal, which reports how long each commit took and whether it succeeded. */
export function meterCommits<Some extends Pick<Journal, "commit" | "commitInSlices">>(
  journal: Some,
  onCommit: (tookMs: Millis, isOk: boolean) => void,
): Some {
  function* commitInSlices(record: JournalRecord): ReturnType<Journal["commitInSlices"]> {
    const began = steadyNow();
    const committed = yield* journal.commitInSlices(record);
    onCommit(steadyNow() - began, committed.ok);
    return committed;
  }
  return {
    ...journal,
    commit: (record) => toEnd(commitInSlices(record)),
    commitInSlices,
  };
}
