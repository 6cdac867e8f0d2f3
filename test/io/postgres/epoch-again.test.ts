/** Tests src/io/postgres/journal.ts and src/run/replica/row-copy.ts: an epoch that a database gives once more, as it lost who had it. */
import { expect, it, type TestContext } from "vitest";
import { HOME } from "../../../src/domain/lease.ts";
import type { JournalRecord } from "../../../src/io/journal/journal.ts";
import { answerCommands } from "../../../src/io/postgres/commands.ts";
import type { Database } from "../../../src/io/postgres/database.ts";
import { postgresJournal, readingOf } from "../../../src/io/postgres/journal.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { createUnitJournal } from "../../../src/run/commit/unit-journal.ts";
import { createRowCopy } from "../../../src/run/replica/row-copy.ts";
import { connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

const recordOf = (key: string): JournalRecord => ({
  at: Date.UTC(2026, 0, 1),
  changes: [{ table: "entity", key, value: {} }],
  findings: [],
});

const connected = async (context: TestContext): Promise<Database> =>
  await connectMigrated(context, await server().makeDatabase());

/** It takes the lease, in the epoch 1, and reads the rows. */
async function begin(database: Database, owner: string) {
  expect(await leaseStore(database, HOME).take(owner)).toMatchObject({ value: { epoch: 1 } });
  const journal = postgresJournal(database, HOME, { owner });
  const loaded = await journal.load(1);
  if (!loaded.ok) throw new Error(loaded.problem.detail);
  return createUnitJournal(journal, loaded.value);
}

it("lets the new owner alone commit, though both are at the same number under the same epoch", async (context) => {
  const database = await connected(context);
  const before = await begin(database, "a");
  expect((await before.commitLater(recordOf("lost"))).ok).toBe(true);
  await database.query("DELETE FROM lease");
  await database.query("DELETE FROM state");
  const after = await begin(database, "b");
  expect((await after.commitLater(recordOf("b"))).ok).toBe(true);
  const foreign = {
    kind: "fenced",
    detail:
      "the lease of the epoch 1 is not this replica's: the database has lost who had it, and counted again",
  };
  expect(await before.commitLater(recordOf("a"))).toMatchObject({ problem: foreign });
  expect(await postgresJournal(database, HOME, { owner: "a" }).load(1)).toMatchObject({
    problem: foreign,
  });
  expect((await after.commitLater(recordOf("b again"))).ok).toBe(true);
  const { rows } = await postgresJournal(database, HOME).read();
  expect(rows.map(({ key }) => key)).toEqual(["b", "b again"]);
});

it("lets a standby show the rows of the new owner alone, though it had read those of the one before", async (context) => {
  const database = await connected(context);
  const before = await begin(database, "a");
  expect((await before.commitLater(recordOf("lost"))).ok).toBe(true);
  const shown = createRowCopy(readingOf(database, HOME));
  await shown.refresh();
  await database.query("DELETE FROM lease");
  await database.query("DELETE FROM state");
  const after = await begin(database, "b");
  for (const key of ["b", "b again"])
    expect((await after.commitLater(recordOf(key))).ok).toBe(true);
  await shown.refresh();
  expect([...shown.rows()].map(({ key }) => key)).toEqual(["b", "b again"]);
});

it("leaves an operator's command to the new owner, who can commit what it does", async (context) => {
  const database = await connected(context);
  await begin(database, "a");
  await database.query("DELETE FROM lease");
  await begin(database, "b");
  const asked = { by: "alice", reason: "", command: { name: "kill", source: "operator" } };
  await database.query(
    "INSERT INTO command (unit, asked_at, body) VALUES ($1, clock_timestamp(), $2)",
    [HOME, JSON.stringify(asked)],
  );
  const done: string[] = [];
  for (const owner of ["a", "b"])
    await answerCommands(database, { unit: HOME, epoch: 1, owner }, () => {
      done.push(owner);
      return { accepted: true, subject: "", detail: "", durable: true };
    });
  expect(done).toEqual(["b"]);
});
