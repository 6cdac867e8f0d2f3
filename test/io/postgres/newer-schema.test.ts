/** Tests src/io/postgres/schema.ts: what a replica that runs may do after a newer one moved the schema on. */
import { describe, expect, it, type TestContext } from "vitest";
import type { JournalRecord } from "../../../src/io/journal/journal.ts";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import { answerCommands, askOwner } from "../../../src/io/postgres/commands.ts";
import { dealRows } from "../../../src/io/postgres/deal.ts";
import { postgresJournal } from "../../../src/io/postgres/journal.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { presenceOf } from "../../../src/io/postgres/presence.ts";
import { migrate, MIGRATIONS, migrateWithin } from "../../../src/io/postgres/schema.ts";
import { connect, connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

const NEWER = [...MIGRATIONS, "CREATE TABLE later (n integer)"];
const WHY = `the database was written by a newer aggwatch (schema ${NEWER.length}; this one knows ${MIGRATIONS.length}). Run that version, or go back to a backup from before it ran. A new database would know no kill switch, no hold and no budget that is spent.`;
const RECORD: JournalRecord = {
  at: 0,
  changes: [{ table: "entity", key: "late", value: {} }],
  findings: [],
};
const FIRST = { epoch: 1, sequence: 1, after: 0 };
const FENCED = { ok: false, problem: { kind: "fenced", detail: WHY } };

/** A replica that has the lease, and a connection of a newer version. */
async function makeWorld(context: TestContext) {
  const url = await server().makeDatabase();
  const database = await connectMigrated(context, url);
  const lease = leaseStore(database, HOME);
  expect(await lease.take("a")).toMatchObject({ value: { taken: true } });
  const journal = postgresJournal(database, HOME, { owner: "a" });
  return { database, lease, journal, newer: await connect(context, url) };
}

describe("a replica that runs while a newer one moves the schema on", () => {
  it("can neither renew nor take a lease, and learns why", async (context) => {
    const { lease, database, newer } = await makeWorld(context);
    await migrate(newer, NEWER);
    expect(await lease.renew("a", 1)).toEqual({ ok: true, value: WHY });
    await newer.query("UPDATE lease SET renewed_at = renewed_at - interval '16 s'");
    for (const unit of [HOME, sendersUnit(1)])
      expect(await leaseStore(database, unit).take("b")).toEqual({ ok: false, problem: WHY });
    const left = await newer.query("SELECT unit, owner, epoch FROM lease");
    expect(left).toEqual([{ unit: HOME, owner: "a", epoch: "1" }]);
  });

  it("commits nothing more", async (context) => {
    const { journal, newer } = await makeWorld(context);
    await migrate(newer, NEWER);
    expect(await journal.commit(RECORD, FIRST)).toEqual(FENCED);
    expect((await journal.read()).rows).toEqual([]);
  });

  it("commits nothing though its commit began before the schema was moved on", async (context) => {
    const { journal, newer } = await makeWorld(context);
    const moved = await newer.transaction(async (ask) => {
      await migrateWithin(ask, NEWER);
      const answered = new AbortController();
      const commit = journal.commit(RECORD, FIRST).finally(() => answered.abort());
      const waiting = "SELECT FROM pg_locks WHERE NOT granted";
      while (!answered.signal.aborted && (await ask(waiting)).length === 0);
      return { commit };
    });
    expect(moved.ok && (await moved.value.commit)).toEqual(FENCED);
    expect((await journal.read()).rows).toEqual([]);
  });

  it("takes no command, and gives none", async (context) => {
    const { database, newer } = await makeWorld(context);
    await newer.query(
      "INSERT INTO command (unit, asked_at, body) VALUES ($1, clock_timestamp(), '{}')",
      [HOME],
    );
    await migrate(newer, NEWER);
    await answerCommands(database, { unit: HOME, epoch: 1, owner: "a" }, () => {
      throw new Error("it was taken");
    });
    const command = { name: "kill", source: "operator" } as const;
    const asked = await askOwner(database, HOME, { by: "alice", reason: "", command });
    expect(asked).toMatchObject({ accepted: false, detail: `nothing was done: ${WHY}` });
    expect(await newer.query("SELECT taken_in FROM command")).toEqual([{ taken_in: null }]);
  });

  it("neither counts among the replicas nor puts rows into other units", async (context) => {
    const { database, newer } = await makeWorld(context);
    await migrate(newer, NEWER);
    await presenceOf(database, "a", { lastsMs: 15_000, shards: 0 }).beat();
    expect(await newer.query("SELECT owner FROM replica")).toEqual([]);
    await newer.query("UPDATE lease SET owner = NULL");
    expect(await dealRows(database, 3, "{}")).toEqual({ ok: false, problem: WHY });
  });
});

it("a database that went back to an older schema is left alone, and a restart moves it on", async (context) => {
  const { lease, journal, newer } = await makeWorld(context);
  await newer.query("UPDATE aggwatch_schema SET version = version - 1");
  const why = `the database has the older schema ${MIGRATIONS.length - 1}, and this aggwatch needs ${MIGRATIONS.length}: restart this replica, which moves it on`;
  expect(await lease.renew("a", 1)).toEqual({ ok: true, value: why });
  expect(await journal.commit(RECORD, FIRST)).toMatchObject({ problem: { detail: why } });
});

it("a table that only another version knows is left out", async (context) => {
  const { journal, newer } = await makeWorld(context);
  await journal.commit(RECORD, FIRST);
  await newer.query(
    "INSERT INTO state (unit, name, key, value, sequence) VALUES ($1, 'later', 'a', '{}', 1)",
    [HOME],
  );
  expect((await journal.read()).rows).toEqual(RECORD.changes);
  expect((await journal.readSince(0))?.rows).toEqual(RECORD.changes);
});
