import { dirname, join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { startProxy } from "../chaos/proxy.ts";
import { connect, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { isActing, startPair } from "./pair.ts";
import { askAsAlice as ask, cliOf } from "./people.ts";

const server = usePostgres();

/** Two replicas; the one that acts is then cut off from the database, and the other acts. */
async function withAnotherActing(context: TestContext) {
  const aggregator = await startAggregator(context);
  const proxy = await startProxy(server().port);
  const url = await server().makeDatabase();
  const through = new URL(url);
  through.port = String(proxy.port);
  const pair = await startPair(context, url, aggregator.url, { databaseOfA: through.href });
  context.onTestFinished(async () => await proxy.close());
  proxy.partition();
  proxy.cut();
  await pair.b.line(isActing);
  return { ...pair, heal: proxy.heal };
}

it("a replica that is cut off until its lease has run out does a command itself, and does not answer that it is done", async (context) => {
  const { a } = await withAnotherActing(context);
  const alone = /this replica's lease has run out and another may act: give it to that one too/;
  const held = await ask(a, "/api/v1/holds", { scope: {}, for: "1h", reason: "by hand" });
  expect(held).toMatchObject({ status: 409, text: expect.stringMatching(alone) });
  const cli = cliOf(context, a.url, (person) => join(dirname(a.home.config), `${person}.token`));
  const killed = await cli("alice", "kill", "--reason", "by hand");
  expect(killed).toMatchObject({ code: 1, err: expect.stringMatching(alone) });
  const { killed: kills, holds } = await a.status();
  expect(kills.map(({ by }) => by)).toContain("alice");
  expect(holds.map(({ owner }) => owner)).toEqual(["alice"]);
});

it("a replica that is cut off shows on the overview what it knows itself, and that the database is away", async (context) => {
  const { a } = await withAnotherActing(context);
  await ask(a, "/api/v1/kill", { reason: "by hand" });
  expect(await ask(a, "/api/v1/overview")).toMatchObject({
    status: 200,
    text: expect.stringMatching(/the journal cannot be written.*"killed":\[\{[^\]]*"by":"alice"/),
  });
});

it("a replica that is cut off until its lease has run out does not count as an owner beside the one that acts", async (context) => {
  const { a, b } = await withAnotherActing(context);
  const owners = [a, b].map(async ({ metric }) => await metric("aggwatch_replica_owner"));
  expect(await Promise.all(owners)).toEqual([0, 1]);
  const ready = await (await fetch(`${a.url}/readyz`)).text();
  expect(ready).toContain("standby: a; its lease, epoch 1, has run out, and another may have it");
});

it("a command that no other replica learned of is logged as lost when this one can stand by again", async (context) => {
  const { a, heal } = await withAnotherActing(context);
  expect(await ask(a, "/api/v1/kill", { reason: "by hand" })).toMatchObject({ status: 409 });
  heal();
  const lost = await a.line(({ msg }) => String(msg).startsWith("lost: a command"));
  expect(lost).toMatchObject({ level: "error", by: "alice", command: "kill", reason: "by hand" });
  await a.line(({ msg }) => String(msg).startsWith("standing by: the lease is lost"));
  expect(a.lines.filter(({ msg }) => msg === lost["msg"])).toHaveLength(1);
});

it("a standby that cannot read the rows to show them gives the owner the command to stop all actions", async (context) => {
  const aggregator = await startAggregator(context);
  const url = await server().makeDatabase();
  const { a, b } = await startPair(context, url, aggregator.url);
  const database = await connect(context, url);
  const locked = Promise.withResolvers<void>();
  const enough = Promise.withResolvers<void>();
  const locking = database.transaction(async (ask) => {
    await ask("SET LOCAL idle_in_transaction_session_timeout = 0");
    await ask("LOCK TABLE state IN ACCESS EXCLUSIVE MODE");
    locked.resolve();
    await enough.promise;
  });
  await locked.promise;
  context.onTestFinished(() => enough.resolve());
  expect((await ask(b, "/api/v1/alerts")).status).toBe(503);
  expect(await ask(b, "/api/v1/kill", { reason: "odd" })).toMatchObject({ status: 200 });
  expect((await a.status()).killed.map(({ by }) => by)).toContain("alice");
  enough.resolve();
  await locking;
});
