import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { Change, Event, StepResult } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { JournalRecord, StoredFinding } from "../../io/journal/journal.ts";
import type { Recorder } from "../../record/recorder.ts";
import { createPollSeries } from "./poll-series.ts";

/**
 * What was decided and is not on disk yet. While the journal cannot be written it waits here, so that
 * the first commit that succeeds brings the journal up to what is known.
 */
export type Backlog = {
  /** Adds what the step changed and found, and what was observed. */
  readonly note: (result: StepResult, at: Instant, event?: Event) => Slices;
  /** Adds changes that are not of a step. */
  readonly noteChanges: (changes: readonly Change[]) => Slices;
  /** Takes all that waits, for one transaction; undefined if nothing does. What is noted later goes into the next. */
  readonly take: (at: Instant, all?: "all") => JournalRecord | undefined;
  /** What became of the record that was taken last: if it is not committed, all of it waits again. */
  readonly settle: (isCommitted: boolean) => void;
  /** Forgets the changes that wait, as the state was read again. Findings stay: they are history. */
  readonly dropChanges: () => void;
};

/** Findings that wait for a journal that cannot be written; the oldest go first. */
export const MOST_WAITING_FINDINGS = 10_000;

export function createBacklog(recorder?: Recorder): Backlog {
  let changes = new Map<string, Change>();
  let findings: StoredFinding[] = [];
  let taken = { changes, findings };
  const isChange = createPollSeries();
  const noteChanges = (changed: readonly Change[]): Slices =>
    eachInSlices(changed, (change) => {
      changes.set(`${change.table} ${change.key}`, change);
    });
  return {
    noteChanges,
    note: function* (result, at, event) {
      if (event !== undefined && recorder !== undefined) yield* recorder.note(event, at, result);
      yield* noteChanges(result.changes);
      yield* eachInSlices(result.findings, (finding) => {
        // These are counted and logged; in the journal they would hide what followed from them.
        const isRoutine =
          finding.type === "polled"
            ? !isChange(at, finding)
            : finding.type === "notified" && finding.repeated;
        if (!isRoutine) findings.push({ at, finding });
      });
    },
    take: (at, all) => {
      const pages = recorder?.due(at, all) ?? [];
      if (changes.size === 0 && findings.length === 0 && pages.length === 0) return undefined;
      taken = { changes, findings };
      changes = new Map();
      findings = [];
      const record = { at, changes: [...taken.changes.values()], findings: taken.findings };
      return pages.length === 0 ? record : { ...record, pages };
    },
    settle: (isCommitted) => {
      if (isCommitted) recorder?.written();
      else {
        changes = newestOf(taken.changes, changes);
        findings = [...taken.findings, ...findings].slice(-MOST_WAITING_FINDINGS);
      }
      taken = { changes: new Map(), findings: [] };
    },
    dropChanges: () => changes.clear(),
  };
}

/** The newest value of each row; what changed since then was changed later. */
function newestOf(
  before: Map<string, Change>,
  since: ReadonlyMap<string, Change>,
): Map<string, Change> {
  for (const [key, change] of since) before.set(key, change);
  return before;
}
