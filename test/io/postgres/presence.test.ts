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

it("one that was not seen for long is forgotten", async (context) => {
  const database = await connectMigrated(context, await server().makeDatabase());
  await presenceOf(database, "old", EACH).beat();
  await database.query("UPDATE replica SET seen_at = seen_at - interval '1 h'");
  await presenceOf(database, "a", EACH).beat();
  expect(await database.query("SELECT owner FROM replica")).toEqual([{ owner: "a" }]);
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
