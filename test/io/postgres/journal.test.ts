import { describe, expect, it, type TestContext } from "vitest";
import { fail } from "../../../src/domain/result.ts";
import type { Change } from "../../../src/domain/step.ts";
import type { JournalRecord } from "../../../src/io/journal/journal.ts";
import type { Database, DatabaseOptions } from "../../../src/io/postgres/database.ts";
import { postgresJournal, type PostgresJournal } from "../../../src/io/postgres/journal.ts";
import { HOME, sendersUnit } from "../../../src/domain/lease.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { connect, connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

const AT = Date.UTC(2026, 0, 1);
const row = (key: string, value: unknown = {}): Change => ({ table: "entity", key, value });
const record = (...changes: readonly Change[]): JournalRecord => ({
  at: AT,
  changes,
  findings: [],
});

const many = (count: number): Change[] => Array.from({ length: count }, (_, n) => row(String(n)));

type Replica = {
  readonly journal: PostgresJournal;
  readonly database: Database;
  readonly url: string;
};

/** A replica that has just taken the lease, in the epoch 1. */
async function owner(context: TestContext, options?: DatabaseOptions): Promise<Replica> {
  const url = await server().makeDatabase();
  const database = await connectMigrated(context, url, options);
  expect(await leaseStore(database, HOME).take("a")).toMatchObject({ value: { taken: true } });
  return { url, database, journal: postgresJournal(database, HOME) };
}

async function keys(journal: PostgresJournal): Promise<readonly string[]> {
  return (await journal.read()).rows.map(({ key }) => key);
}

describe("a commit", () => {
  it("is written for the epoch of the lease alone, and not one row of it otherwise", async (context) => {
    const { journal, database } = await owner(context);
    expect(await journal.commit(record(row("a")), { epoch: 1, sequence: 1, after: 0 })).toEqual({
      ok: true,
      value: undefined,
    });
    const lease = leaseStore(database, HOME);
    await lease.release("a", 1);
    expect(await lease.take("b")).toEqual({ ok: true, value: { taken: true, epoch: 2 } });
    const late = await journal.commit(record(row("late")), { epoch: 1, sequence: 2, after: 1 });
    expect(late).toMatchObject({ ok: false, problem: { kind: "fenced" } });
    expect(await journal.load(1)).toMatchObject({ ok: false, problem: { kind: "fenced" } });
    const loaded = await journal.load(2);
    expect(loaded).toEqual({
      ok: true,
      value: { rows: [row("a")], stamp: { epoch: 2, sequence: 1 } },
    });
  });

  it("follows the one that it names: a second attempt that comes after the first is not written", async (context) => {
    const { journal } = await owner(context);
    const first = { epoch: 1, sequence: 1, after: 0 };
    const second = { epoch: 1, sequence: 2, after: 0 };
    expect((await journal.commit(record(row("a", { n: 1 })), first)).ok).toBe(true);
    const again = await journal.commit(record(row("a", { n: 2 })), second);
    expect(again).toMatchObject({ ok: false, problem: { kind: "unknown" } });
    expect(await journal.stamp()).toEqual({ ok: true, value: { epoch: 1, sequence: 1 } });
    expect((await journal.read()).rows).toEqual([row("a", { n: 1 })]);
  });

  it("is of what the record held when it was given", async (context) => {
    const { journal } = await owner(context);
    const value = { n: 1 };
    const done = journal.commit(record(row("a", value)), { epoch: 1, sequence: 1, after: 0 });
    value.n = 2;
    expect((await done).ok).toBe(true);
    expect((await journal.read()).rows).toEqual([row("a", { n: 1 })]);
  });

  it("is waited for by whoever reads the stamp, or takes the lease", async (context) => {
    const { journal, database, url } = await owner(context);
    const other = postgresJournal(await connect(context, url), HOME);
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const writing = database.transaction(async (ask) => {
      await ask("UPDATE lease SET last_sequence = 7 WHERE unit = $1", [HOME]);
      begun.resolve();
      await go.promise;
    });
    await begun.promise;
    const waiting: string[] = [];
    const stamp = other.stamp().then((found) => {
      waiting.push("stamp");
      return found;
    });
    // Another question is answered meanwhile: it is this one that waits.
    expect((await other.read()).stamp.sequence).toBe(0);
    expect(waiting).toEqual([]);
    go.resolve();
    expect((await writing).ok).toBe(true);
    expect(await stamp).toEqual({ ok: true, value: { epoch: 1, sequence: 7 } });
    expect(journal).toBeDefined();
  });

  it("is unavailable, and known not to be written, if there is no database", async (context) => {
    const { journal } = await owner(context);
    await server().kill();
    const away = await journal.commit(record(row("a")), { epoch: 1, sequence: 1, after: 0 });
    expect(away).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
    expect(await journal.stamp()).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
    await expect(journal.findings(1)).rejects.toThrow();
    await server().start();
    const back = await journal.commit(record(row("a")), { epoch: 1, sequence: 2, after: 0 });
    expect(back).toEqual({ ok: true, value: undefined });
    expect(await keys(journal)).toEqual(["a"]);
  });

  it("is tried again at once if the connection that it began on is gone", async (context) => {
    const { database, url } = await owner(context, { connections: 1 });
    // However long the first try takes here: it counts as soon over.
    const journal = postgresJournal(database, HOME, { steadyNow: () => 0 });
    const [own] = await database.query("SELECT pg_backend_pid() AS pid");
    const other = await connect(context, url);
    const done = journal.commit(record(...many(20_000)), { epoch: 1, sequence: 1, after: 0 });
    await other.query("SELECT pg_terminate_backend($1::integer)", [Number(own?.["pid"])]);
    expect(await done).toEqual({ ok: true, value: undefined });
    expect(await keys(journal)).toHaveLength(20_000);
  });

  it("is tried again only if it failed within a second", async () => {
    const triesOf = async (tookMs: number): Promise<number> => {
      let [now, tries] = [0, 0];
      const transaction: Database["transaction"] = async () => {
        [now, tries] = [now + tookMs, tries + 1];
        return await Promise.resolve(fail({ kind: "unavailable", detail: "no route" }));
      };
      const never = { query: async () => await Promise.resolve([]), transaction };
      const journal = postgresJournal(never, HOME, { steadyNow: () => now });
      await journal.commit(record(), { epoch: 1, sequence: 1, after: 0 });
      return tries;
    };
    expect([await triesOf(999), await triesOf(1_000)]).toEqual([2, 1]);
  });

  it("ends in time on a database that says nothing, and the next one works", async (context) => {
    const { url } = await owner(context);
    const timeouts = { connect: 2_000, statement: 1_900, lock: 1_800, reply: 2_000 };
    const journal = postgresJournal(await connect(context, url, { timeouts }), HOME);
    await server().pause();
    const hanging = await journal.commit(record(row("a")), { epoch: 1, sequence: 1, after: 0 });
    expect(hanging).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
    await server().resume();
    const next = await journal.commit(record(row("b")), { epoch: 1, sequence: 2, after: 0 });
    expect(next).toEqual({ ok: true, value: undefined });
    expect(await keys(journal)).toEqual(["b"]);
  });
});

describe("a standby", () => {
  it("follows by what was written after a commit, deletions too, and says if that is too long ago", async (context) => {
    const { journal } = await owner(context);
    await journal.commit(record(row("a"), row("b")), { epoch: 1, sequence: 1, after: 0 });
    await journal.commit(record({ table: "entity", key: "a", value: undefined }, row("c")), {
      epoch: 1,
      sequence: 2,
      after: 1,
    });
    const news = await journal.readSince(1);
    expect(news?.stamp.sequence).toBe(2);
    expect(news?.rows).toHaveLength(2);
    expect(news?.rows).toEqual(
      expect.arrayContaining([{ table: "entity", key: "a", value: undefined }, row("c")]),
    );
    expect(await journal.readSince(2)).toMatchObject({ rows: [] });
    expect(await journal.readSince(3)).toBeUndefined();
    await journal.commit(record(), { epoch: 1, sequence: 20_000, after: 2 });
    expect(await journal.readSince(2)).toBeUndefined();
    await journal.prune(AT);
    expect(await keys(journal)).toEqual(["b", "c"]);
  });
});

it("is read as of one instant, whatever is committed meanwhile", async (context) => {
  const { journal, database } = await owner(context);
  await journal.commit(record(row("a")), { epoch: 1, sequence: 1, after: 0 });
  // Another row is committed between the question for the stamp and that for the rows.
  const transaction: Database["transaction"] = async (work) =>
    await database.transaction(
      async (ask) =>
        await work(async (sql, values) => {
          const rows = await ask(sql, values);
          const next = { epoch: 1, sequence: 2, after: 1 };
          if (sql.includes("FROM lease")) await journal.commit(record(row("b")), next);
          return rows;
        }),
    );
  const { read } = postgresJournal({ ...database, transaction }, HOME);
  expect(await read()).toMatchObject({ rows: [row("a")], stamp: { sequence: 1 } });
  expect(await journal.read()).toMatchObject({
    rows: [row("a"), row("b")],
    stamp: { sequence: 2 },
  });
});

describe("a unit", () => {
  it("has rows, an epoch and a sequence of its own, and one cannot write for another", async (context) => {
    const { journal, database } = await owner(context);
    const unit = sendersUnit(1);
    const senders = postgresJournal(database, unit);
    const fence = { epoch: 1, sequence: 1, after: 0 };
    expect((await senders.commit(record(row("x")), fence)).ok).toBe(false);
    expect(await leaseStore(database, unit).take("b")).toMatchObject({ value: { epoch: 1 } });
    expect((await senders.commit(record(row("same", { of: "b" })), fence)).ok).toBe(true);
    expect((await journal.commit(record(row("same", { of: "a" }), row("a")), fence)).ok).toBe(true);
    expect((await senders.read()).rows).toEqual([row("same", { of: "b" })]);
    expect((await journal.read()).rows).toEqual([row("a"), row("same", { of: "a" })]);
    expect(await senders.readSince(0)).toMatchObject({ rows: [row("same", { of: "b" })] });
    await leaseStore(database, HOME).release("a", 1);
    await leaseStore(database, HOME).take("c");
    // A new owner of one unit does not fence that of another.
    const next = { epoch: 1, sequence: 2, after: 1 };
    expect((await senders.commit(record(row("y")), next)).ok).toBe(true);
    expect(await journal.commit(record(row("late")), next)).toMatchObject({
      problem: { kind: "fenced" },
    });
  });

  it("forgets what it deleted by its own sequence, however far another has come", async (context) => {
    const { journal, database } = await owner(context);
    const unit = sendersUnit(1);
    const senders = postgresJournal(database, unit);
    await leaseStore(database, unit).take("b");
    const gone = record({ table: "entity", key: "a", value: undefined });
    await senders.commit(gone, { epoch: 1, sequence: 1, after: 0 });
    await journal.commit(record(), { epoch: 1, sequence: 20_000, after: 0 });
    await senders.prune(AT);
    expect(await senders.readSince(0)).toMatchObject({ rows: [{ key: "a", value: undefined }] });
    await senders.commit(record(), { epoch: 1, sequence: 20_000, after: 1 });
    await senders.prune(AT);
    expect(await database.query("SELECT FROM state")).toEqual([]);
  });
});
