import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOME } from "../src/domain/lease.ts";
import { toEnd } from "../src/domain/slices.ts";
import type { Change, Event } from "../src/domain/step.ts";
import { SECOND } from "../src/domain/time.ts";
import { openJournal } from "../src/io/journal/journal.ts";
import { openDatabase } from "../src/io/postgres/database.ts";
import { postgresJournal } from "../src/io/postgres/journal.ts";
import { leaseStore } from "../src/io/postgres/lease.ts";
import { migrate } from "../src/io/postgres/schema.ts";
import { createCommits } from "../src/run/commit/commits.ts";
import type { LoopJournal } from "../src/run/commit/loop-journal.ts";
import { createUnitJournal } from "../src/run/commit/unit-journal.ts";
import { startPostgres } from "../test/io/postgres/server.ts";
import { START } from "./population.ts";
import { grouped, milliseconds, type Row } from "./table.ts";

/** How many events wait at once, and how many go through in all for each number. */
export type CommitSizes = { readonly waiting: readonly number[]; readonly events: number };

type Found = {
  readonly perSecond: number;
  readonly commits: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
};

/**
 * Events that come at once, each with a changed row, until the effects of each may be performed: by the commits of the
 * loop, to a PostgreSQL that several replicas share, beside the file of one. Both sync to disk.
 */
export async function benchCommits({ waiting, events }: CommitSizes): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-bench-"));
  const server = await startPostgres({ fsync: true });
  const database = await openDatabase(await server.makeDatabase());
  try {
    const made = await migrate(database);
    if (!made.ok) throw new Error(made.problem);
    const file = openJournal(join(directory, "journal"));
    if (!file.ok) throw new Error(file.problem);
    const taken = await leaseStore(database, HOME).take("bench");
    if (!taken.ok || !taken.value.taken) throw new Error("the lease is another's");
    const shared = postgresJournal(database, HOME);
    const loaded = await shared.load(taken.value.epoch);
    if (!loaded.ok) throw new Error(loaded.problem.detail);
    const unit = createUnitJournal(shared, loaded.value);
    const rows: Row[] = [];
    for (const size of waiting) {
      await measure(unit, size, events / 5);
      const ours = await measure(unit, size, events);
      const baseline = await measure(file.value, size, events);
      rows.push(...rowsOf(size, ours, baseline));
    }
    file.value.close();
    return rows;
  } finally {
    await database.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function rowsOf(size: number, ours: Found, baseline: Found): Row[] {
  const row = (what: string, one: number, other: number, note: string): Row => ({
    name: `commits: ${what}, waiting`,
    size,
    ours: milliseconds(one),
    baseline: milliseconds(other),
    ratio: one / other,
    note,
  });
  const speed = ({ perSecond, commits }: Found): string =>
    `${grouped(perSecond)} events/s in ${grouped(commits)} commits`;
  return [
    row("p50", ours.p50Ms, baseline.p50Ms, `PostgreSQL: ${speed(ours)}`),
    row("p95", ours.p95Ms, baseline.p95Ms, `baseline, SQLite: ${speed(baseline)}`),
  ];
}

const EVENT: Event = { type: "tick" };

async function measure(journal: LoopJournal, size: number, events: number): Promise<Found> {
  const taking: number[] = [];
  let commits = 0;
  let began = 0;
  let left = 0;
  let all = Promise.withResolvers<void>();
  const counted: LoopJournal =
    "commitLater" in journal
      ? {
          ...journal,
          commitLater: async (record) => ((commits += 1), await journal.commitLater(record)),
        }
      : { rows: journal.rows, commit: (record) => ((commits += 1), journal.commit(record)) };
  const { add } = createCommits({
    journal: counted,
    between: (_event, work) => toEnd(work()),
    perform: () => undefined,
    pushFirst: (failed) => all.reject(new Error(JSON.stringify(failed))),
    publish: () => {
      taking.push(performance.now() - began);
      left -= 1;
      if (left === 0) all.resolve();
    },
  });
  const startedAt = performance.now();
  for (let done = 0; done < events; done += size) {
    all = Promise.withResolvers();
    left = size;
    began = performance.now();
    for (let index = 0; index < size; index += 1) {
      const changes: Change[] = [
        { table: "counter", key: `c${(done + index) % 500}`, value: done + index },
      ];
      const result = { changes, effects: [], findings: [] };
      toEnd(add({ event: EVENT, at: START + done, result, answer: () => undefined }));
    }
    await all.promise;
  }
  const seconds = (performance.now() - startedAt) / SECOND;
  const sorted = taking.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { perSecond: taking.length / seconds, commits, p50Ms: at(0.5), p95Ms: at(0.95) };
}
