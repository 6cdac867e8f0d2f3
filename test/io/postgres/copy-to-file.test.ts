import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, type TestContext } from "vitest";
import { copyToDatabase } from "../../../src/io/postgres/copy-to-database.ts";
import { copyToFile, whyNotLeft } from "../../../src/io/postgres/copy-to-file.ts";
import { connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

async function place(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-copy-"));
  context.onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = await connectMigrated(context, await server().makeDatabase());
  return { directory, database, file: join(directory, "journal.sqlite") };
}

it("a database is not left for a file while its senders are in units, as a file has none", async (context) => {
  const { database } = await place(context);
  expect(await whyNotLeft(database)).toBeUndefined();
  await database.query("UPDATE sharding SET shards = 2");
  expect(await whyNotLeft(database)).toMatch(
    /are in 2 units: start one replica with journal.shards: 0/,
  );
});

it("a copy that another process writes is left alone, and what a killed one left is replaced", async (context) => {
  const { directory, database, file } = await place(context);
  const unfinished = `${file}.unfinished`;
  const other = new DatabaseSync(unfinished);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE own (name TEXT)");
  expect(await copyToFile(database, file)).toEqual({
    ok: false,
    problem: `${unfinished} is being written by another process: wait for its end`,
  });
  expect(readdirSync(directory)).toContain("journal.sqlite.unfinished");
  other.close();
  expect(await copyToFile(database, file)).toMatchObject({ ok: true });
  expect(readdirSync(directory)).toEqual(["journal.sqlite"]);
  const stored = new DatabaseSync(file, { readOnly: true });
  expect(stored.prepare("SELECT name FROM sqlite_schema WHERE name = 'own'").all()).toEqual([]);
  stored.close();
});

it("nothing is left of a copy that the database broke off", async (context) => {
  const { directory, database, file } = await place(context);
  await database.query("DROP TABLE finding");
  expect(await copyToFile(database, file)).toMatchObject({
    ok: false,
    problem: expect.stringContaining(`${directory} got no copy: `),
  });
  expect(readdirSync(directory)).toEqual([]);
});

it("a file that is there is not overwritten, and stays as it is", async (context) => {
  const { directory, database, file } = await place(context);
  writeFileSync(file, "own");
  expect(await copyToFile(database, file)).toEqual({
    ok: false,
    problem: `${file} exists already`,
  });
  expect(readdirSync(directory)).toEqual(["journal.sqlite"]);
});

it("a row of home stays if a unit has one of the same key, and damaged pages are counted, there and back", async (context) => {
  const { directory, database, file } = await place(context);
  await database.query(
    `INSERT INTO state (unit, name, key, value, sequence) VALUES
       ('senders/1', 'counter', 'at', '1', 1), ('home', 'counter', 'at', '2', 1),
       ('senders/1', 'counter', 'other', '3', 1)`,
  );
  await database.query("INSERT INTO record (seq, at, until, whole, body) VALUES (1, 1, 1, 1, 'x')");
  const copied = { rows: 2, findings: 0, pages: 0, lost: 1 };
  expect(await copyToFile(database, file)).toMatchObject({ ok: true, value: copied });
  const stored = new DatabaseSync(file, { readOnly: true });
  expect(stored.prepare("SELECT key, value FROM state ORDER BY key").all()).toMatchObject([
    { key: "at", value: "2" },
    { key: "other", value: "3" },
  ]);
  stored.close();
  const back = await connectMigrated(context, await server().makeDatabase());
  expect(await copyToDatabase(directory, back)).toEqual({
    ok: true,
    value: { ...copied, lost: 0 },
  });
});
