import { expect, it } from "vitest";
import { migrate, MIGRATIONS } from "../../src/io/postgres/schema.ts";
import { connect, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import type { Daemon, LogLine } from "./daemon.ts";
import { isActing, startPair } from "./pair.ts";
import { askAsAlice } from "./people.ts";

const server = usePostgres();

const NEWER = /^the database was written by a newer aggwatch \(schema \d+; this one knows \d+\)/;

const isUnusable = ({ msg, detail }: LogLine): boolean =>
  msg === "the database cannot be used" && NEWER.test(String(detail));

const ready = async ({ url }: Daemon): Promise<string> => {
  const answer = await fetch(`${url}/readyz`);
  return `${answer.status} ${await answer.text()}`;
};

it("replicas that run stand by and say why if a newer one moves the schema on, and none takes over", async (context) => {
  const aggregator = await startAggregator(context);
  const url = await server().makeDatabase();
  const { a, b } = await startPair(context, url, aggregator.url);
  const database = await connect(context, url);
  await migrate(database, [...MIGRATIONS, "CREATE TABLE later (n integer)"]);
  const lost = await a.line(({ msg }) => msg === "standing by: the lease is lost");
  expect(lost["detail"]).toMatch(NEWER);
  for (const replica of [a, b]) {
    await replica.line(isUnusable);
    expect(await ready(replica)).toMatch(
      /^503 the database cannot be used: the database was written by a newer aggwatch/m,
    );
    const { text } = await askAsAlice(replica, "/api/v1/status");
    expect(text).toContain("the database was written by a newer aggwatch");
  }
  // Nobody renews it: whoever may take it can.
  await database.query("UPDATE lease SET renewed_at = renewed_at - interval '1 h'");
  await a.end("SIGKILL");
  for (let polls = 0; polls < 4; polls += 1) await ready(b);
  expect(b.lines.filter(isActing)).toEqual([]);
  expect(await database.query("SELECT owner LIKE 'a/%' AS of_a, epoch FROM lease")).toEqual([
    { of_a: true, epoch: "1" },
  ]);
  expect(await b.end("SIGTERM")).toBe(0);
});

it("the owner refuses a command of a newer replica that it does not know, and goes on", async (context) => {
  const aggregator = await startAggregator(context);
  const url = await server().makeDatabase();
  const { a } = await startPair(context, url, aggregator.url);
  const database = await connect(context, url);
  const body = { by: "alice", reason: "a try", command: { name: "later", what: "all" } };
  await database.query(
    "INSERT INTO command (unit, asked_at, body) VALUES ('home', clock_timestamp(), $1)",
    [JSON.stringify(body)],
  );
  await a.line(({ command }) => command === "later");
  await expect
    .poll(async () => (await database.query("SELECT answer FROM command"))[0]?.["answer"])
    .toContain(
      "nothing was done: the replica that has the lease is of a version that does not know the command later",
    );
  const [row] = await database.query("SELECT answer FROM command");
  expect(JSON.parse(String(row?.["answer"]))).toMatchObject({ accepted: false });
  expect((await askAsAlice(a, "/api/v1/kill", { reason: "it goes on" })).status).toBe(200);
});
