import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Change, Finding } from "../src/domain/step.ts";
import { SECOND } from "../src/domain/time.ts";
import { JOURNAL_FILE, openJournal, type Journal } from "../src/io/journal/journal.ts";
import { compare, type Rounds } from "./measure.ts";
import { populate, START } from "./population.ts";
import { grouped, timesOf, type Row } from "./table.ts";
import { shippedPolicy, watch } from "./watched.ts";

/** The entities whose rows the commits write, again and again. */
const ENTITIES = 1_000;

const POLLED: Finding = {
  type: "polled",
  aggregator: "bench",
  poller: "exchanges",
  origin: "poll",
  outcome: "complete",
  durationMs: 5,
  detail: "",
};

/** Commits of the real journal, beside bare inserts of the same rows into a file of the same kind. */
export async function benchJournal(
  rowCounts: readonly number[],
  commits: number,
  rounds: Rounds,
): Promise<Row[]> {
  const rows = changesOf(ENTITIES);
  const result: Row[] = [];
  for (const count of rowCounts) result.push(await benchCount(rows, count, commits, rounds));
  return result;
}

/** Real rows of real entities. */
function changesOf(size: number): Change[] {
  const { state } = watch(shippedPolicy(), populate({ size, badShare: 0.01 }));
  return [...state.tables.entity].map(([key, value]) => ({ table: "entity", key, value }));
}

async function benchCount(
  rows: readonly Change[],
  count: number,
  commits: number,
  rounds: Rounds,
): Promise<Row> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  try {
    const batches = Array.from({ length: commits }, (_, commit) =>
      Array.from({ length: count }, (_, row) => rowAt(rows, commit * count + row)),
    );
    const opened = openJournal(join(directory, "ours"));
    if (!opened.ok) throw new Error(opened.problem);
    const bare = openBare(join(directory, "bare.sqlite"));
    let next: ReadonlyArray<readonly Change[]> = [];
    let turn = 0;
    // Commit by commit in turns, as a disk's speed changes from moment to moment.
    const compared = await compare(rounds, {
      turns: commits,
      prepare: () => {
        next = batches.slice(turn % commits).slice(0, 1);
        turn += 1;
      },
      ours: () => commitAll(opened.value, next),
      baseline: () => bare.commitAll(next),
    });
    opened.value.close();
    bare.close();
    const made = commits * (rounds.warmUps + rounds.rounds);
    const kilobytes = statSync(join(directory, "ours", JOURNAL_FILE)).size / 1_000;
    const bareKilobytes = statSync(join(directory, "bare.sqlite")).size / 1_000;
    return {
      name: "journal: commit, rows",
      size: count,
      ...timesOf(compared),
      note: `${grouped(SECOND / compared.oursMs)} commits/s; ${grouped(kilobytes)} kB after ${grouped(made)} (baseline ${grouped(bareKilobytes)} kB)`,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function rowAt(rows: readonly Change[], index: number): Change {
  const row = rows[index % rows.length];
  if (row === undefined) throw new Error("there are no rows");
  return row;
}

/** One finding with each, as a poll that changed something has. */
function commitAll(journal: Journal, batches: ReadonlyArray<readonly Change[]>): void {
  for (const changes of batches) {
    const findings = [{ at: START, finding: POLLED }];
    const done = journal.commit({ at: START, changes, findings });
    if (!done.ok) throw new Error(done.problem);
  }
}

/** The same pragmas and tables as the journal's, and nothing else. */
function openBare(file: string): {
  readonly commitAll: (batches: ReadonlyArray<readonly Change[]>) => void;
  readonly close: () => void;
} {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16000000;
    CREATE TABLE state (name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (name, key)) WITHOUT ROWID, STRICT;
    CREATE TABLE finding (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL,
      body TEXT NOT NULL) STRICT;
    CREATE INDEX finding_at ON finding (at);`);
  const write = database.prepare(
    "INSERT INTO state VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const record = database.prepare("INSERT INTO finding (at, type, body) VALUES (?, ?, ?)");
  return {
    commitAll: (batches) => {
      for (const batch of batches) {
        database.exec("BEGIN IMMEDIATE");
        for (const { table, key, value } of batch) write.run(table, key, JSON.stringify(value));
        record.run(START, POLLED.type, JSON.stringify(POLLED));
        database.exec("COMMIT");
      }
    },
    close: () => database.close(),
  };
}
