import type { Result } from "../domain/result.ts";
import type { Change, StepResult } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import type { Journal, StoredFinding } from "../io/journal.ts";

/**
 * What was decided and is not on disk yet. While the journal cannot be written it waits here, so that
 * the first commit that succeeds brings the file up to what is known.
 */
export type Backlog = {
  /** Writes what the step changed, and all that waits, in one transaction. */
  readonly commit: (result: StepResult, at: Instant) => Result<void, string>;
  /** Forgets the changes that wait, as state was made anew from the file. Findings stay: they are history. */
  readonly dropChanges: () => void;
};

/** Findings that wait for a journal that cannot be written; the oldest go first. */
export const MOST_WAITING_FINDINGS = 10_000;

export function createBacklog(journal: Pick<Journal, "commit">): Backlog {
  const changes = new Map<string, Change>();
  let findings: StoredFinding[] = [];
  return {
    commit: (result, at) => {
      for (const change of result.changes) changes.set(`${change.table} ${change.key}`, change);
      for (const finding of result.findings) {
        // These are counted and logged; in the journal they would drown what came of them.
        const isRoutine =
          finding.type === "polled" || (finding.type === "notified" && finding.repeated);
        if (!isRoutine) findings.push({ at, finding });
      }
      if (changes.size === 0 && findings.length === 0) return { ok: true, value: undefined };
      const committed = journal.commit({ at, changes: [...changes.values()], findings });
      if (committed.ok) {
        changes.clear();
        findings = [];
      } else if (findings.length > MOST_WAITING_FINDINGS) {
        findings = findings.slice(-MOST_WAITING_FINDINGS);
      }
      return committed;
    },
    dropChanges: () => changes.clear(),
  };
}
