import { readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { fail } from "../../../src/domain/result.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { copyToDatabase } from "../../../src/io/postgres/copy-to-database.ts";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import { shardsOf } from "../../../src/io/postgres/deal.ts";
import { postgresJournal } from "../../../src/io/postgres/journal.ts";
import { leaseStore, readLease } from "../../../src/io/postgres/lease.ts";
import { connectMigrated, usePostgres } from "./fixture.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const server = usePostgres();

/** The data directory of an aggwatch that has ended. */
function stoppedJournal(context: TestContext): string {
  const { path, remove } = temporaryDirectory();
  context.onTestFinished(remove);
  const journal = openJournal(path);
  if (!journal.ok) throw new Error(journal.problem);
  journal.value.close();
  return path;
}

it("reads a copy beside the journal if there is room for two, and removes it", async (context) => {
  const path = stoppedJournal(context);
  let during: readonly string[] = [];
  const transaction = async () => {
    during = readdirSync(path);
    return await Promise.resolve(fail({ detail: "refused" } as never));
  };
  const copied = await copyToDatabase(path, { transaction });
  expect(copied).toEqual({ ok: false, problem: "nothing was copied: refused" });
  expect(during).toEqual([JOURNAL_FILE, expect.stringContaining(`${JOURNAL_FILE}.copy-`)]);
  expect(readdirSync(path)).toEqual([JOURNAL_FILE]);
  // What is written from the first copy is another one.
  const { size } = statSync(join(path, JOURNAL_FILE));
  const freeIn = (place: string): number => (place === path ? 1.5 * size : Infinity);
  await copyToDatabase(path, { transaction }, undefined, freeIn);
  expect(during).toEqual([JOURNAL_FILE]);
});

it("takes a backup by the name of its file, and names what is not there", async (context) => {
  const path = stoppedJournal(context);
  const backup = join(path, "backup.sqlite");
  renameSync(join(path, JOURNAL_FILE), backup);
  const transaction = async () => await Promise.resolve(fail({ detail: "refused" } as never));
  expect(await copyToDatabase(backup, { transaction })).toEqual(
    fail("nothing was copied: refused"),
  );
  expect(readdirSync(path)).toEqual(["backup.sqlite"]);
  const missing = await copyToDatabase(path, { transaction });
  expect(missing).toEqual(fail(`there is no journal in ${path}: ${JOURNAL_FILE} is missing`));
});

it("lets no replica write that owned a unit of the database before, and comes back late", async (context) => {
  const path = stoppedJournal(context);
  const database = await connectMigrated(context, await server().makeDatabase());
  await database.query("UPDATE sharding SET shards = 3");
  const record = {
    at: 0,
    changes: [{ table: "kill", key: "kill", value: undefined }],
    findings: [],
  } as const;
  const late = [HOME, sendersUnit(1)].map((unit) => ({
    unit,
    lease: leaseStore(database, unit, undefined, 3),
    journal: postgresJournal(database, unit, { owner: "late" }),
  }));
  for (const { lease, journal } of late) {
    await lease.take("late");
    expect((await journal.commit(record, { epoch: 1, sequence: 1, after: 0 })).ok).toBe(true);
  }
  const refused = await copyToDatabase(path, database);
  expect(!refused.ok && refused.problem).toMatch(
    /^the replica late has the lease of home: stop it/,
  );
  await database.query("UPDATE lease SET renewed_at = renewed_at - interval '1 h'");
  expect(await copyToDatabase(path, database)).toMatchObject({ ok: true });
  expect(await shardsOf(database.query)).toBe(0);
  expect(await readLease(database.query, HOME)).toMatchObject({ owner: undefined, epoch: 2 });
  for (const { unit, lease, journal } of late) {
    expect([unit, await lease.renew("late", 1)]).toEqual([unit, { ok: true, value: false }]);
    const committed = await journal.commit(record, { epoch: 1, sequence: 2, after: 1 });
    expect([unit, committed]).toMatchObject([unit, { problem: { kind: "fenced" } }]);
  }
});
