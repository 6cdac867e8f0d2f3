import { describe, expect, it, type TestContext } from "vitest";
import type { LeaseStore } from "../../../src/io/postgres/lease-store.ts";
import type { Database } from "../../../src/io/postgres/database.ts";
import { HOME } from "../../../src/domain/lease.ts";
import { leaseStore, readLease } from "../../../src/io/postgres/lease.ts";
import { connect, connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

/** Two replicas on one database, and a way to let the lease run out by the database's own clock. */
async function pair(context: TestContext): Promise<{
  readonly a: LeaseStore;
  readonly b: LeaseStore;
  readonly database: Database;
  readonly runOut: () => Promise<void>;
}> {
  const url = await server().makeDatabase();
  const database = await connectMigrated(context, url);
  const other = await connect(context, url);
  return {
    a: leaseStore(database, HOME),
    b: leaseStore(other, HOME),
    database,
    runOut: async () => {
      await database.query("UPDATE lease SET renewed_at = renewed_at - interval '16 s'");
    },
  };
}

const taken = (epoch: number) => ({ ok: true, value: { taken: true, epoch } });
const heldBy = (owner: string) => ({ ok: true, value: { taken: false, owner } });
const said = (value: unknown) => ({ ok: true, value });

describe("the lease", () => {
  it("is one replica's, whoever asks how often", async (context) => {
    const { a, b } = await pair(context);
    expect(await a.take("a")).toEqual(taken(1));
    expect(await b.take("b")).toEqual(heldBy("a"));
    expect(await a.take("a")).toEqual(heldBy("a"));
    expect(await a.renew("a", 1)).toEqual(said(true));
  });

  it("goes to exactly one of many that ask at once", async (context) => {
    const { a, b, runOut } = await pair(context);
    const ask = async (round: number) =>
      await Promise.all(
        Array.from(
          { length: 12 },
          async (_, n) => await (n % 2 === 0 ? a : b).take(`${round}-${n}`),
        ),
      );
    for (let round = 1; round <= 20; round += 1) {
      const won = (await ask(round)).filter((found) => found.ok && found.value.taken);
      expect(won).toEqual([taken(round)]);
      await runOut();
    }
  });

  it("is another's once it has run out, in a new epoch, and the one before learns it", async (context) => {
    const { a, b, runOut } = await pair(context);
    await a.take("a");
    await runOut();
    expect(await b.take("b")).toEqual(taken(2));
    expect(await a.renew("a", 1)).toEqual(said(false));
    // Who comes back with an epoch that is past gives nothing away.
    await a.release("a", 1);
    expect(await a.take("a")).toEqual(heldBy("b"));
  });

  it("is renewed however late, if nobody took it", async (context) => {
    const { a, b, runOut } = await pair(context);
    await a.take("a");
    await runOut();
    expect(await a.renew("a", 1)).toEqual(said(true));
    expect(await b.take("b")).toEqual(heldBy("a"));
  });

  it("given back, is free at once; the epoch still grows", async (context) => {
    const { a, b, database } = await pair(context);
    await a.take("a");
    await a.release("a", 1);
    expect(await readLease(database.query, HOME)).toMatchObject({ owner: undefined, isFree: true });
    expect(await b.take("b")).toEqual(taken(2));
    expect(await readLease(database.query, HOME)).toMatchObject({ owner: "b", isFree: false });
  });

  it("that has run out is left to its owner by who is sparing, and taken if it was given back", async (context) => {
    const { a, b, runOut } = await pair(context);
    expect(await b.take("a", true)).toEqual(taken(1));
    await runOut();
    const left = { taken: false, owner: "a", isSpared: true };
    expect(await b.take("b", true)).toEqual(said(left));
    expect(await a.renew("a", 1)).toEqual(said(true));
    expect(await b.take("b", true)).toEqual(heldBy("a"));
    await a.release("a", 1);
    expect(await b.take("b", true)).toEqual(taken(2));
  });

  it("is judged by its holder's length, whatever length the other has", async (context) => {
    const { a, database, runOut } = await pair(context);
    await a.take("short");
    await a.release("short", 1);
    await leaseStore(database, HOME, 60_000).take("long");
    await runOut();
    expect(await a.take("a")).toEqual(heldBy("long"));
  });

  it("of an epoch that the database lost and gives again is the new owner's alone", async (context) => {
    const { a, b, database } = await pair(context);
    await a.take("a");
    await database.query("DELETE FROM lease");
    expect(await b.take("b")).toEqual(taken(1));
    expect(await a.renew("a", 1)).toEqual(said(false));
    await a.release("a", 1);
    expect(await b.renew("b", 1)).toEqual(said(true));
  });

  it("that its owner took again is neither renewed nor given back under the epoch before", async (context) => {
    const { a } = await pair(context);
    await a.take("a");
    await a.release("a", 1);
    expect(await a.take("a")).toEqual(taken(2));
    expect(await a.renew("a", 1)).toEqual(said(false));
    await a.release("a", 1);
    expect(await a.renew("a", 2)).toEqual(said(true));
  });

  it("of one unit is none of another", async (context) => {
    const { a, database } = await pair(context);
    await a.take("a");
    const other = leaseStore(database, "senders/1");
    expect(await other.take("b")).toEqual(taken(1));
    expect([await other.take("c"), await a.take("c")]).toEqual([heldBy("b"), heldBy("a")]);
  });

  it("says why the database cannot be used", async (context) => {
    const { a } = await pair(context);
    await server().kill();
    expect(await a.take("a")).toEqual({ ok: false, problem: expect.stringMatching(/./) });
    expect((await a.renew("a", 1)).ok).toBe(false);
    expect((await a.release("a", 1)).ok).toBe(false);
    await server().start();
    expect(await a.take("a")).toEqual(taken(1));
  });
});
