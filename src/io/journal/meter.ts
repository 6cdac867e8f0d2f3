import type { Millis } from "../../domain/time.ts";
import { steadyNow } from "../process/clock.ts";
import type { Journal } from "./journal.ts";

/** The same journal, which reports how long each commit took and whether it succeeded. */
export function meterCommits<Some extends Pick<Journal, "commit">>(
  journal: Some,
  onCommit: (tookMs: Millis, isOk: boolean) => void,
): Some {
  return {
    ...journal,
    commit: (record) => {
      const began = steadyNow();
      const committed = journal.commit(record);
      onCommit(steadyNow() - began, committed.ok);
      return committed;
    },
  };
}
