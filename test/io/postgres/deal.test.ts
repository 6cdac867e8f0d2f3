import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, type TestContext } from "vitest";
import { HOME, sendersUnit, unitOfSender } from "../../../src/domain/lease.ts";
import { succeed } from "../../../src/domain/result.ts";
import type { Change } from "../../../src/domain/step.ts";
import { pagesOf } from "../../../src/io/journal/record-pages.ts";
import { copyToFile } from "../../../src/io/postgres/copy-to-file.ts";
import type { Database } from "../../../src/io/postgres/database.ts";
import { dealRows } from "../../../src/io/postgres/deal.ts";
import { postgresJournal, unitsIn } from "../../../src/io/postgres/journal.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { connect, connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();
const DONE = { ok: true, value: undefined };
const SENDERS = ["0x1", "0x2", "0x3", "0x4", "0x5"];

const entity = (kind: string, id: string, surface: string): Change => ({
  table: "entity",
  key: `bsc/${kind}/${id}`,
  value: { aggregator: "bsc", kind, id, surface, facts: {}, firstSeen: 1, since: 1 },
});
const alert = (kind: string, id: string): Change => ({
  table: "alert",
  key: `R|bsc/${kind}/${id}`,
  value: { key: `R|bsc/${kind}/${id}`, entity: { aggregator: "bsc", kind, id } },
});
const waiting = (kind: string, id: string, number: number): Change => {
  const news = { type: "alert", state: "firing", entity: { aggregator: "bsc", kind, id } };
  const subject = `alert R|bsc/${kind}/${id}`;
  return {
    table: "notification",
    key: `hook|${subject}`,
    value: { channel: "hook", subject, waiting: { news, number } },
  };
};

const ofSender = (sender: string, number: number): readonly Change[] => [
  entity("sender", sender, `bsc/swaps/${sender}`),
  entity("swap", `hash-${sender}`, `bsc/swaps/${sender}`),
  alert("swap", `hash-${sender}`),
  waiting("swap", `hash-${sender}`, number),
  {
    table: "watch",
    key: `bsc/sender/${sender}`,
    value: {
      type: "entry",
      aggregator: "bsc",
      kind: "sender",
      target: sender,
      by: "a",
      reason: "",
      at: 1,
    },
  },
];
const OF_HOME: readonly Change[] = [
  entity("exchange", "BINANCE", "bsc/exchanges/list"),
  entity("poller", "swaps", "bsc/swaps/(self)"),
  alert("exchange", "BINANCE"),
  waiting("exchange", "BINANCE", 3),
  { table: "counter", key: "at", value: 77 },
  { table: "counter", key: "notification", value: 40 },
  { table: "silence", key: "s1", value: { id: "s1" } },
];
const ALL = [...OF_HOME, ...SENDERS.flatMap((sender, index) => ofSender(sender, 20 - index))];

async function filled(context: TestContext) {
  const database = await connectMigrated(context, await server().makeDatabase());
  await leaseStore(database, HOME).take("a");
  const record = { at: 1, changes: ALL, findings: [] };
  const journal = postgresJournal(database, HOME);
  expect(await journal.commit(record, { epoch: 1, sequence: 1, after: 0 })).toEqual(DONE);
  const keysOf = async (unit: string): Promise<readonly string[]> => {
    const { rows } = await postgresJournal(database, unit).read();
    return rows.flatMap(({ table, key }) => (table === "counter" ? [] : [`${table} ${key}`]));
  };
  return { database, journal, keysOf };
}

const keys = (rows: readonly Change[]): readonly string[] =>
  rows.flatMap(({ table, key }) => (table === "counter" ? [] : [`${table} ${key}`])).toSorted();

it("every row of a sender goes to its unit, whatever the number was before, and back", async (context) => {
  const { database, keysOf } = await filled(context);
  await leaseStore(database, HOME).release("a", 1);
  for (const shards of [4, 2, 3]) {
    expect(await dealRows(database, shards, "[]")).toEqual(DONE);
    expect(await keysOf(HOME)).toEqual(keys(OF_HOME));
    for (let number = 1; number <= shards; number += 1) {
      const ours = SENDERS.filter((sender) => unitOfSender(sender, shards) === number);
      expect(await keysOf(sendersUnit(number))).toEqual(
        keys(ours.flatMap((one) => ofSender(one, 1))),
      );
    }
  }
  expect(await dealRows(database, 0, "[]")).toEqual(DONE);
  expect(await keysOf(HOME)).toEqual(keys(ALL));
});

it("of a listing, each unit keeps the entries of its own senders, and none is lost on the way back", async (context) => {
  const { database, journal } = await filled(context);
  const key = "bsc/http:desks";
  const order = { kind: "liquidation", target: "0xabc" };
  const entries = [...SENDERS.map((target) => ({ kind: "sender", target })), order];
  const value = {
    type: "listing",
    aggregator: "bsc",
    source: "http",
    name: "desks",
    at: 5,
    entries,
  };
  await journal.commit(
    { at: 2, changes: [{ table: "watch", key, value }], findings: [] },
    { epoch: 1, sequence: 2, after: 1 },
  );
  await leaseStore(database, HOME).release("a", 1);
  const targetsOf = async (unit: string): Promise<readonly string[]> => {
    const { rows } = await postgresJournal(database, unit).read();
    const row = rows.find((one) => one.key === key)?.value as typeof value;
    return row.entries.map(({ target }) => target).toSorted();
  };
  for (const shards of [4, 2]) {
    expect(await dealRows(database, shards, "[]")).toEqual(DONE);
    expect(await targetsOf(HOME)).toEqual([order.target]);
    for (let number = 1; number <= shards; number += 1)
      expect(await targetsOf(sendersUnit(number))).toEqual(
        SENDERS.filter((sender) => unitOfSender(sender, shards) === number),
      );
  }
  const file = join(mkdtempSync(join(tmpdir(), "aggwatch-deal-")), "copy.sqlite");
  context.onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  expect(await copyToFile(database, file)).toMatchObject({ ok: true });
  const copy = new DatabaseSync(file, { readOnly: true });
  const row = copy.prepare("SELECT value FROM state WHERE key = ?").get(key);
  copy.close();
  expect(JSON.parse(String(row?.["value"]))).toEqual({
    ...value,
    entries: expect.arrayContaining(entries),
  });
  expect(await dealRows(database, 0, "[]")).toEqual(DONE);
  expect(await targetsOf(HOME)).toEqual([order.target, ...SENDERS].toSorted());
});

it("instants and numbers only grow, and what waits keeps its order", async (context) => {
  const { database } = await filled(context);
  await leaseStore(database, HOME).release("a", 1);
  await dealRows(database, 2, "[]");
  for (const unit of [HOME, sendersUnit(1), sendersUnit(2)]) {
    const { rows } = await postgresJournal(database, unit).read();
    const counters = rows.filter(({ table }) => table === "counter");
    expect(counters.map(({ key, value }) => [key, value])).toEqual([
      ["at", 77],
      ["notification", 40],
    ]);
  }
  await dealRows(database, 0, "[]");
  const { rows } = await postgresJournal(database, HOME).read();
  const numbers = rows.flatMap(({ table, key, value }) =>
    table === "notification"
      ? [[(value as { waiting: { number: number } }).waiting.number, key] as const]
      : [],
  );
  const order = numbers.toSorted(([one], [other]) => one - other).map(([, key]) => key);
  expect(order.map((key) => key.slice(key.lastIndexOf("/") + 1))).toEqual([
    "BINANCE",
    // The last was noted first.
    ...SENDERS.map((sender) => `hash-${sender}`).toReversed(),
  ]);
  expect(await unitsIn(database.query)).toContain(HOME);
});

it("is refused while a replica runs with another number, and fences who comes back late with one", async (context) => {
  const { database, journal } = await filled(context);
  const refused = await dealRows(database, 4, "[]");
  expect(refused).toMatchObject({
    ok: false,
    problem: expect.stringContaining("the replica a, which has home, runs with 0"),
  });
  await database.query("UPDATE lease SET renewed_at = renewed_at - interval '16 s'");
  expect(await dealRows(database, 4, "[]")).toEqual(DONE);
  const late = await journal.commit(
    { at: 1, changes: [], findings: [] },
    { epoch: 1, sequence: 2, after: 1 },
  );
  expect(late).toMatchObject({ ok: false, problem: { kind: "fenced" } });
  // And it gets no lease of it any more.
  expect(await leaseStore(database, HOME, 15_000, 0).take("a")).toEqual({
    ok: false,
    problem:
      "journal.shards is 0 here, and 4 in the database: give all replicas the same number, and restart this one",
  });
  expect(await leaseStore(database, HOME, 15_000, 4).take("b")).toMatchObject({
    value: { taken: true },
  });
});

it("no replica takes a lease under the number before while rows are put into units", async (context) => {
  const url = await server().makeDatabase();
  const [database, other] = [await connectMigrated(context, url), await connect(context, url)];
  let taking: Promise<unknown> | undefined;
  const transaction: Database["transaction"] = async (work) =>
    await database.transaction(
      async (ask) =>
        await work(async (sql, values) => {
          const rows = await ask(sql, values);
          if (!sql.startsWith("UPDATE lease")) return rows;
          const answered = new AbortController();
          taking = leaseStore(other, HOME)
            .take("late")
            .finally(() => answered.abort());
          const waits = "SELECT FROM pg_locks WHERE NOT granted";
          while (!answered.signal.aborted && (await ask(waits)).length === 0);
          return rows;
        }),
    );
  expect(await dealRows({ transaction }, 3, "{}")).toEqual(DONE);
  const problem = expect.stringContaining("journal.shards is 0 here, and 3 in the database");
  expect(await taking).toEqual({ ok: false, problem });
});

it("rows that another replica has put into units meanwhile are left to it", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  expect(await dealRows(database, 3, "{}")).toEqual(DONE);
  await leaseStore(database, HOME, 15_000, 3).take("first");
  let looks = 0;
  const transaction: Database["transaction"] = async (work) => {
    looks += 1;
    if (looks > 1) return await database.transaction(work);
    return succeed(await work(async () => await Promise.resolve([{ shards: 0 }])));
  };
  expect(await dealRows({ transaction }, 3, "{}")).toEqual(DONE);
  expect(looks).toBe(2);
});

it("a row that comes to where one of its key was deleted is kept", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  const row = entity("sender", "0x1", "bsc/swaps/0x1");
  await database.query("UPDATE sharding SET shards = 1");
  await database.query(
    `INSERT INTO state (unit, name, key, value, sequence)
     VALUES ('home', 'entity', $1, NULL, 1), ('senders/1', 'entity', $1, $2, 1)`,
    [row.key, JSON.stringify(row.value)],
  );
  expect(await dealRows(database, 0, "{}")).toEqual(DONE);
  expect((await postgresJournal(database, HOME).read()).rows).toEqual([row]);
});

it("the record of a unit that no longer exists ends now, or when it ended if the clock is behind that", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await database.query("UPDATE sharding SET shards = 3");
  const future = 9_000_000_000_000;
  for (const [number, until] of [
    [2, 5],
    [3, future],
  ] as const)
    await database.query(
      "INSERT INTO record (seq, at, until, whole, body) VALUES ($1, 1, $2, 1, 'x')",
      [pagesOf(sendersUnit(number))[0] + 1, until],
    );
  expect(await dealRows(database, 1, "[]")).toEqual(DONE);
  const lastOf = async (number: number): Promise<readonly unknown[]> => {
    const sql = "SELECT at, until FROM record WHERE seq >= $1 AND seq < $2 ORDER BY seq DESC";
    const [row] = await database.query(sql, pagesOf(sendersUnit(number)));
    return [Number(row?.["at"]), Number(row?.["until"])];
  };
  const [now] = await database.query(
    "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now",
  );
  const [at, until] = await lastOf(2);
  expect(at).toBe(until);
  expect(at).toBeGreaterThan(5);
  expect(at).toBeLessThanOrEqual(Number(now?.["now"]));
  expect(await lastOf(3)).toEqual([future, future]);
});
