import { fail, succeed, type Result } from "../../../src/domain/result.ts";
import type { Change } from "../../../src/domain/step.ts";
import type { JournalRecord, StoredFinding } from "../../../src/io/journal/journal.ts";
import {
  checkFence,
  type CommitProblem,
  type CommitStamp,
  type Fence,
  type SharedJournal,
} from "../../../src/io/journal/shared-journal.ts";

/**
 * How a question to the database goes. `late`: the connection breaks, and the commit arrives after the next question
 * was answered. `after`: it breaks when the commit is written.
 */
export const FATES = ["well", "refused", "before", "after", "late"] as const;
export type Fate = (typeof FATES)[number];

/** A shared journal in memory that answers each question when it is told to, and how. */
export type ParkedJournal = {
  readonly shared: Pick<SharedJournal, "commit" | "stamp">;
  /** Answers the question that waits; false if none does. */
  readonly answer: (fate?: Fate) => Promise<boolean>;
  readonly rows: Map<string, Change>;
  readonly findings: StoredFinding[];
  stamp: CommitStamp;
  /** How many records were tried to be committed. */
  commits: number;
};

export function parkedJournal(): ParkedJournal {
  let question: ((fate: Fate) => void) | undefined;
  let late: (() => void) | undefined;
  const park = async <Value>(
    ask: () => Result<Value, CommitProblem>,
  ): Promise<Result<Value, CommitProblem>> =>
    await new Promise((resolve) => {
      if (question !== undefined) throw new Error("one question at a time");
      question = (fate) => {
        const arrives = late;
        late = fate === "late" ? () => void ask() : undefined;
        const answer = fate === "well" || fate === "after" ? ask() : undefined;
        if (fate !== "late") arrives?.();
        const kind = fate === "refused" ? "unavailable" : "unknown";
        resolve(fate === "well" && answer ? answer : fail({ kind, detail: fate }));
      };
    });
  const journal: ParkedJournal = {
    shared: {
      commit: async (record, fence) => {
        const copy = structuredClone(record);
        journal.commits += 1;
        return await park(() => write(journal, copy, fence));
      },
      stamp: async () => await park(() => succeed(journal.stamp)),
    },
    answer: async (fate = "well") => {
      const asked = question;
      question = undefined;
      asked?.(fate);
      // Whoever waits for the answer goes on, and asks the next question.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      return asked !== undefined;
    },
    rows: new Map(),
    findings: [],
    stamp: { epoch: 1, sequence: 0 },
    commits: 0,
  };
  return journal;
}

function write(
  journal: ParkedJournal,
  { changes, findings }: JournalRecord,
  fence: Fence,
): Result<void, CommitProblem> {
  const allowed = checkFence(journal.stamp, fence);
  if (!allowed.ok) return allowed;
  journal.stamp = { epoch: fence.epoch, sequence: fence.sequence };
  for (const row of changes) {
    if (row.value === undefined) journal.rows.delete(`${row.table} ${row.key}`);
    else journal.rows.set(`${row.table} ${row.key}`, row);
  }
  journal.findings.push(...findings);
  return succeed(undefined);
}
