import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toEnd } from "../src/domain/slices.ts";
import type { Change, Event, Finding } from "../src/domain/step.ts";
import { openJournal, type Journal } from "../src/io/journal/journal.ts";
import { createBacklog } from "../src/run/commit/backlog.ts";
import { createCommits } from "../src/run/commit/commits.ts";
import { compare, type Rounds } from "./measure.ts";
import { START } from "./population.ts";
import { timesOf, type Row } from "./table.ts";

const EVENT: Event = { type: "tick" };
const FOUND: Finding = { type: "kill", source: "operator", on: true, detail: "bench" };

/**
 * What it costs a daemon with a file that a commit may take time, as PostgreSQL's does: from a decision until its effects
 * are released by the commits of the loop, beside a loop that knows one journal alone, which answers at once.
 */
export async function benchLoopCommits(
  rowCounts: readonly number[],
  commits: number,
  rounds: Rounds,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of rowCounts) rows.push(await benchCount(count, commits, rounds));
  return rows;
}

async function benchCount(count: number, commits: number, rounds: Rounds): Promise<Row> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  try {
    const ours = opened(join(directory, "ours"));
    const baseline = opened(join(directory, "baseline"));
    let released = 0;
    const { add } = createCommits({
      journal: ours,
      between: (_event, work) => toEnd(work()),
      perform: () => undefined,
      pushFirst: (failed) => {
        throw new Error(JSON.stringify(failed));
      },
      publish: () => {
        released += 1;
      },
    });
    const backlog = createBacklog();
    let turn = 0;
    let changes: readonly Change[] = [];
    const compared = await compare(rounds, {
      turns: commits,
      prepare: () => {
        turn += 1;
        changes = rowsOf(turn * count, count);
      },
      ours: () => {
        const result = { changes, effects: [], findings: [FOUND] };
        toEnd(add({ event: EVENT, at: START, result, answer: () => undefined }));
      },
      baseline: () => {
        toEnd(backlog.note({ changes, effects: [], findings: [FOUND] }, START, EVENT));
        const record = backlog.take(START);
        const done = record && baseline.commit(record);
        if (done?.ok !== true) throw new Error(done?.problem);
        backlog.settle(done.ok);
      },
    });
    ours.close();
    baseline.close();
    if (released !== turn) throw new Error(`${released} of ${turn} were released`);
    return {
      name: "journal: by the loop, rows",
      size: count,
      ...timesOf(compared),
      note: "baseline: what a loop of one journal alone does",
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function opened(directory: string): Journal {
  const journal = openJournal(directory);
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

const KEYS = 1_000;

function rowsOf(from: number, count: number): readonly Change[] {
  return Array.from({ length: count }, (_, index) => ({
    table: "counter",
    key: `c${(from + index) % KEYS}`,
    value: from + index,
  }));
}
