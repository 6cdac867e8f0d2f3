import type { Result } from "../domain/result.ts";
import { eachInSlices, type Slices } from "../domain/slices.ts";
import type { Change, Event, StepResult } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import type { Journal, StoredFinding } from "../io/journal/journal.ts";
import type { Recorder } from "../record/recorder.ts";

/**
 * What was decided and is not on disk yet. While the journal cannot be written it waits here, so that
 * the first commit that succeeds brings the file up to what is known.
 */
export type Backlog = {
  /** Writes what the step changed, what was observed, and all that waits, in one transaction. */
  readonly commit: (result: StepResult, at: Instant, event?: Event) => Slices<Result<void, string>>;
  /** Forgets the changes that wait, as the state was read anew from the file. Findings stay: they are history. */
  readonly dropChanges: () => void;
};

/** Findings that wait for a journal that cannot be written; the oldest go first. */
export const MOST_WAITING_FINDINGS = 10_000;

export function createBacklog(
  journal: Pick<Journal, "commit"> & Partial<Pick<Journal, "inPlace" | "commitInSlices">>,
  recorder?: Recorder,
): Backlog {
  const changes = new Map<string, Change>();
  let findings: StoredFinding[] = [];
  return {
    commit: function* (result, at, event) {
      if (event !== undefined && recorder !== undefined) yield* recorder.note(event, at, result);
      yield* eachInSlices(result.changes, (change) => {
        changes.set(`${change.table} ${change.key}`, change);
      });
      yield* eachInSlices(result.findings, (finding) => {
        // These are counted and logged; in the journal they would drown what came of them.
        const isRoutine =
          finding.type === "polled" || (finding.type === "notified" && finding.repeated);
        if (!isRoutine) findings.push({ at, finding });
      });
      const pages = recorder?.due(at) ?? [];
      const isNothing = changes.size === 0 && findings.length === 0 && pages.length === 0;
      // So each tick finds a journal that was deleted or replaced, also if there is nothing to write.
      if (isNothing) return journal.inPlace?.() ?? { ok: true, value: undefined };
      const record = { at, changes: [...changes.values()], findings };
      const all = pages.length === 0 ? record : { ...record, pages };
      const committed =
        journal.commitInSlices === undefined
          ? journal.commit(all)
          : yield* journal.commitInSlices(all);
      if (committed.ok) {
        changes.clear();
        findings = [];
        recorder?.written();
      } else if (findings.length > MOST_WAITING_FINDINGS) {
        findings = findings.slice(-MOST_WAITING_FINDINGS);
      }
      return committed;
    },
    dropChanges: () => changes.clear(),
  };
}
