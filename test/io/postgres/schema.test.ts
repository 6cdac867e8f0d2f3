import { expect, it } from "vitest";
import { migrate, MIGRATIONS, schemaProblem } from "../../../src/io/postgres/schema.ts";
import { connect, usePostgres } from "./fixture.ts";

const server = usePostgres();
const MADE = { ok: true, value: undefined };

it("many processes that start at once make the schema once", async (context) => {
  const url = await server().makeDatabase();
  const databases = await Promise.all([1, 2, 3].map(async () => await connect(context, url)));
  const done = await Promise.all(
    [...databases, ...databases].map(async (one) => await migrate(one)),
  );
  expect(done).toEqual(done.map(() => MADE));
  const [first] = databases;
  expect(first && (await schemaProblem(first))).toBeUndefined();
});

it("a step that fails leaves nothing of it", async (context) => {
  const database = await connect(context, await server().makeDatabase());
  const failed = await migrate(database, [
    "CREATE TABLE a (n integer); CREATE TABLE a (n integer)",
  ]);
  expect(failed).toMatchObject({ ok: false, problem: expect.stringContaining("already exists") });
  expect(await schemaProblem(database)).toContain("no journal of aggwatch");
  expect(await migrate(database)).toEqual(MADE);
});

it("a later version goes on where this one stopped", async (context) => {
  const database = await connect(context, await server().makeDatabase());
  await migrate(database);
  expect(await migrate(database, [...MIGRATIONS, "CREATE TABLE later (n integer)"])).toEqual(MADE);
  expect(await database.query("SELECT * FROM later")).toEqual([]);
});

it("a database of a newer aggwatch is refused, and left as it is", async (context) => {
  const database = await connect(context, await server().makeDatabase());
  await migrate(database, [...MIGRATIONS, "CREATE TABLE later (n integer)"]);
  const why = `newer aggwatch (schema ${MIGRATIONS.length + 1}; this one knows ${MIGRATIONS.length})`;
  expect(await migrate(database)).toEqual({ ok: false, problem: expect.stringContaining(why) });
  expect(await schemaProblem(database)).toContain(why);
});

it("a database that cannot be reached is said to be", async (context) => {
  const database = await connect(context, "postgres://aggwatch@127.0.0.1:1/none");
  expect(await migrate(database)).toEqual({
    ok: false,
    problem: expect.stringContaining("ECONNREFUSED"),
  });
});
