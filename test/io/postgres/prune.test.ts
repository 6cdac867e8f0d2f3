import { expect, it } from "vitest";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import type { Change } from "../../../src/domain/step.ts";
import { postgresJournal } from "../../../src/io/postgres/journal.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { writeRecord, written } from "../../../src/io/postgres/write.ts";
import { connect, connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

const AT = Date.UTC(2026, 0, 1);
const KILL = { table: "kill", key: "kill" } as const;

it("a row that is being written again is kept, and what prunes does not wait for it, as that might wait in turn", async (context) => {
  const url = await server().makeDatabase();
  const [database, other] = [await connectMigrated(context, url), await connect(context, url)];
  const journal = postgresJournal(database, HOME);
  await leaseStore(database, HOME).take("a");
  const commit = async (change: Change, sequence: number, after: number): Promise<void> => {
    const record = { at: AT, changes: [change], findings: [] };
    expect((await journal.commit(record, { epoch: 1, sequence, after })).ok).toBe(true);
  };
  await commit({ ...KILL, value: undefined }, 1, 0);
  await commit({ table: "entity", key: "b", value: undefined }, 2, 1);
  await commit({ table: "entity", key: "a", value: {} }, 20_000, 2);
  const again = { ...KILL, value: { on: true } };
  const marks = "SELECT key FROM state WHERE value IS NULL";
  const done = await other.transaction(async (ask) => {
    const fence = { epoch: 1, sequence: 20_001, after: 20_000 };
    const record = { at: AT, changes: [again], findings: [] };
    expect(await writeRecord(ask, { unit: HOME }, fence, written(record))).toBe(true);
    await journal.prune(AT);
    expect(await database.query(marks)).toEqual([{ key: "kill" }]);
  });
  expect(done.ok).toBe(true);
  expect((await journal.read()).rows).toContainEqual(again);
});

it("commands of long ago are forgotten, answered or not; those of all units are up to home", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await database.query(
    `INSERT INTO command (unit, asked_at, body, answer)
     SELECT unit, clock_timestamp() - days * interval '1 day', days, answer
     FROM unnest(ARRAY['home', 'senders/1']) AS unit, unnest(ARRAY[29, 31]) AS days,
       unnest(ARRAY['{}', NULL]) AS answer`,
  );
  const days = async () => await database.query("SELECT body FROM command ORDER BY body");
  await postgresJournal(database, sendersUnit(1)).prune(AT);
  expect(await days()).toHaveLength(8);
  await postgresJournal(database, HOME).prune(AT);
  expect(await days()).toEqual(Array.from({ length: 4 }, () => ({ body: "29" })));
});

it("marks of deleted rows are pruned however many rows that are still there come before them", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await leaseStore(database, HOME).take("a");
  await database.query(
    `INSERT INTO state (unit, name, key, value, sequence)
     SELECT 'home', 'entity', 'a' || number, '{}', 1 FROM generate_series(1, 6000) AS number`,
  );
  await database.query(
    `INSERT INTO state (unit, name, key, value, sequence)
     VALUES ('home', 'entity', 'z1', NULL, 9999), ('home', 'entity', 'z2', NULL, 10000),
       ('senders/1', 'entity', 'z1', NULL, 1), ('senders/1', 'entity', 'z2', NULL, 1)`,
  );
  await database.query("UPDATE lease SET last_sequence = 20000 WHERE unit = 'home'");
  await postgresJournal(database, HOME).prune(AT);
  expect(
    await database.query("SELECT unit, key FROM state WHERE value IS NULL ORDER BY 1, 2"),
  ).toEqual([
    { unit: "home", key: "z2" },
    // Of a unit with commits of its own.
    { unit: "senders/1", key: "z1" },
    { unit: "senders/1", key: "z2" },
  ]);
  expect(await database.query("SELECT count(*)::integer AS rows FROM state")).toEqual([
    { rows: 6003 },
  ]);
});
