/** Tests src/io/postgres/journal.ts: commits on a database whose own settings would spoil them. */
import { expect, it, type TestContext } from "vitest";
import { HOME } from "../../../src/domain/lease.ts";
import type { JournalRecord } from "../../../src/io/journal/journal.ts";
import type { Database } from "../../../src/io/postgres/database.ts";
import { postgresJournal } from "../../../src/io/postgres/journal.ts";
import { leaseStore, readLease } from "../../../src/io/postgres/lease.ts";
import { connect, connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

const recordOf = (count: number): JournalRecord => ({
  at: Date.UTC(2026, 0, 1),
  changes: Array.from({ length: count }, (_, n) => ({
    table: "entity",
    key: String(n),
    value: {},
  })),
  findings: [],
});

/** The owner of the lease, in the epoch 1, on a database with this setting. */
async function ownerOn(context: TestContext, setting: string): Promise<Database> {
  const url = await server().makeDatabase();
  const { query } = await connectMigrated(context, url);
  await query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
  const database = await connect(context, url);
  expect(await leaseStore(database, HOME).take("a")).toMatchObject({ value: { taken: true } });
  return database;
}

it.for(["repeatable read", "serializable"])(
  "commits succeed while the lease is renewed, though transactions are %s by default",
  async (level, context) => {
    const database = await ownerOn(context, `default_transaction_isolation = '${level}'`);
    const [lease, journal] = [leaseStore(database, HOME), postgresJournal(database, HOME)];
    for (let sequence = 1; sequence <= 20; sequence += 1) {
      const fence = { epoch: 1, sequence, after: sequence - 1 };
      const renewals = [1, 2, 3].map(async () => await lease.renew("a", 1));
      const committed = await journal.commit(recordOf(200), fence);
      expect(committed).toEqual({ ok: true, value: undefined });
      for (const renewed of await Promise.all(renewals))
        expect(renewed).toEqual({ ok: true, value: true });
    }
  },
);

it("a commit that is acknowledged is on disk, though the database is set to acknowledge sooner", async (context) => {
  // What is not waited for is written by then.
  await server().set("wal_writer_delay", "10s");
  const database = await ownerOn(context, "synchronous_commit = off");
  const journal = postgresJournal(database, HOME);
  const committed = await journal.commit(recordOf(1), { epoch: 1, sequence: 1, after: 0 });
  expect(committed).toEqual({ ok: true, value: undefined });
  await server().restart();
  expect(await journal.stamp()).toEqual({ ok: true, value: { epoch: 1, sequence: 1 } });
});

it("a take-over that is acknowledged is on disk, though the database is set to acknowledge sooner", async (context) => {
  await server().set("wal_writer_delay", "10s");
  const database = await ownerOn(context, "synchronous_commit = off");
  await server().restart();
  expect(await readLease(database.query, HOME)).toMatchObject({ owner: "a", epoch: 1 });
});

it("a renewal of the lease that is acknowledged is on disk, though the database is set to acknowledge sooner", async (context) => {
  await server().set("wal_writer_delay", "10s");
  const database = await ownerOn(context, "synchronous_commit = off");
  const renewedAt = async () => await database.query("SELECT renewed_at::text AS at FROM lease");
  const taken = await renewedAt();
  expect(await leaseStore(database, HOME).renew("a", 1)).toEqual({ ok: true, value: true });
  const renewed = await renewedAt();
  expect(renewed).not.toEqual(taken);
  await server().restart();
  expect(await renewedAt()).toEqual(renewed);
});
