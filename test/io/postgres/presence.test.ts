import { expect, it } from "vitest";
import { sendersUnit } from "../../../src/domain/lease.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { presenceOf } from "../../../src/io/postgres/presence.ts";
import { connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();
const EACH = { lastsMs: 15_000, shards: 0 };
const NONE = new Map();
const OWNED = new Map([["senders/2", "a"]]);

it("replicas see each other until one ends or falls silent, and who owns which unit", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  const [a, b] = ["a", "b"].map((owner) => presenceOf(database, owner, EACH));
  if (a === undefined || b === undefined) throw new Error("there are two");
  expect(await b.beat()).toEqual({ live: ["b"], owners: new Map(), left: NONE });
  expect((await a.beat()).live).toEqual(["a", "b"]);
  const lease = leaseStore(database, sendersUnit(2));
  await lease.take("a");
  expect(await b.beat()).toEqual({ live: ["a", "b"], owners: OWNED, left: NONE });
  // Both by the database's clock: a lease, and a replica that was not seen for as long.
  await database.query("UPDATE replica SET seen_at = seen_at - interval '16 s' WHERE owner = 'a'");
  expect(await b.beat()).toEqual({ live: ["b"], owners: OWNED, left: NONE });
  await database.query("UPDATE lease SET renewed_at = renewed_at - interval '16 s'");
  expect(await b.beat()).toEqual({ live: ["b"], owners: new Map(), left: NONE });
  expect((await a.beat()).live).toEqual(["a", "b"]);
  await a.end();
  expect((await b.beat()).live).toEqual(["b"]);
});

it("one that is seen again lives for as long as it says by then, and leaves what it says by then", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  const b = presenceOf(database, "b", EACH);
  await presenceOf(database, "a", EACH).beat([sendersUnit(1)]);
  const age = async (seconds: number): Promise<void> => {
    const aged = "UPDATE replica SET seen_at = seen_at - $1 * interval '1 s' WHERE owner = 'a'";
    await database.query(aged, [seconds]);
  };
  await age(20);
  expect((await b.beat()).live).toEqual(["b"]);
  await presenceOf(database, "a", { ...EACH, lastsMs: 60_000 }).beat();
  expect(await b.beat()).toMatchObject({ live: ["a", "b"], left: NONE });
  await age(45);
  expect((await b.beat()).live).toEqual(["a", "b"]);
});

it("one that was not seen for twenty lengths of its lease is forgotten, and none before", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  for (const [owner, seconds] of [
    ["old", 301],
    ["late", 280],
  ] as const) {
    await presenceOf(database, owner, EACH).beat();
    await database.query(
      "UPDATE replica SET seen_at = seen_at - $2 * interval '1 s' WHERE owner = $1",
      [owner, seconds],
    );
  }
  await presenceOf(database, "a", EACH).beat();
  const owners = "SELECT owner FROM replica ORDER BY owner";
  expect(await database.query(owners)).toEqual([{ owner: "a" }, { owner: "late" }]);
});

it("one with another number of units than the database counts for nothing", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await presenceOf(database, "late", { ...EACH, shards: 3 }).beat();
  expect((await presenceOf(database, "a", EACH).beat()).live).toEqual(["a"]);
});

it("replicas see what each leaves to the others, while it lives and leaves it", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  const [a, b] = ["a", "b"].map((owner) => presenceOf(database, owner, EACH));
  if (a === undefined || b === undefined) throw new Error("there are two");
  const [one, other] = [sendersUnit(1), sendersUnit(2)];
  expect((await a.beat([one, other])).left).toEqual(
    new Map([
      [one, ["a"]],
      [other, ["a"]],
    ]),
  );
  expect((await b.beat([other])).left).toEqual(
    new Map([
      [one, ["a"]],
      [other, ["a", "b"]],
    ]),
  );
  expect((await a.beat()).left).toEqual(new Map([[other, ["b"]]]));
  await b.end();
  expect((await a.beat()).left).toEqual(NONE);
});
