import { connect as dial, createServer, type AddressInfo } from "node:net";
import { expect, it, type TestContext } from "vitest";
import { message, startAnswering } from "../io/postgres/answering.ts";
import { endConnections } from "../io/postgres/end-connections.ts";
import { connect, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runArguments, runCli, startDaemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";

const server = usePostgres();

/** Stands before the database. Once it gathers, all that a new connection says comes in one piece, at its end. */
async function startGathering(context: TestContext, target: number) {
  let isGathering = false;
  const front = createServer((inner) => {
    const outer = dial(target, "127.0.0.1");
    const said: Buffer[] = [];
    const gathers = isGathering;
    const end = (): void => {
      inner.destroy();
      outer.destroy();
    };
    inner.on("data", (chunk) => void outer.write(chunk)).on("error", end);
    inner.on("close", end);
    outer.on("data", (chunk) => void (gathers ? said.push(chunk) : inner.write(chunk)));
    outer.on("error", end).on("end", () => inner.end(Buffer.concat(said)));
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void front.close());
  return {
    port: (front.address() as AddressInfo).port,
    gather: (on: boolean) => (isGathering = on),
  };
}

it("a replica whose connection is ended just as it is made goes on, and says that it has no database", async (context) => {
  const url = new URL(await server().makeDatabase());
  const { query } = await connect(context, url.href);
  await query("CREATE ROLE ended LOGIN; GRANT CREATE ON SCHEMA public TO ended");
  const front = await startGathering(context, server().port);
  [url.username, url.port] = ["ended", String(front.port)];
  const aggregator = await startAggregator(context);
  const config = quickConfig({ timeout: "2s", url: aggregator.url, mode: "act" });
  const home = makeHome(context, config, QUICK_RULES);
  const env = { ...ACT_KEY, AGGWATCH_DATABASE_URL: url.href };
  const daemon = await startDaemon(context, home, env);
  await daemon.line(({ msg }) => msg === "acting");
  front.gather(true);
  const told = daemon.line(({ msg }) => msg === "the database cannot be used");
  await endConnections(query, "usename = 'ended'", told);
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  front.gather(false);
  await daemon.line(({ msg }) => msg === "the database can be used again");
  expect(await daemon.end("SIGTERM")).toBe(0);
});

it("a server that asks for Kerberos ends the start with a line that says so, and with no exception", async (context) => {
  const { url } = await startAnswering(context, message("R", "\0\0\0\x07"));
  const config = quickConfig({ url: "http://127.0.0.1:9", mode: "shadow" });
  const args = runArguments(makeHome(context, config, QUICK_RULES));
  const ended = await runCli(context, args, { ...ACT_KEY, AGGWATCH_DATABASE_URL: url });
  expect([ended.code, ended.err]).toEqual([
    1,
    "aggwatch cannot start: the database cannot be used: it asks for a way to log in that aggwatch does not have: let the role log in with a password or a certificate, in pg_hba.conf\n",
  ]);
});

it("a server whose answer cannot be read is waited for, as it may be another program at the port", async (context) => {
  const { url } = await startAnswering(context, message("D", "\0\x09"));
  const config = quickConfig({ url: "http://127.0.0.1:9", mode: "shadow" });
  const env = { ...ACT_KEY, AGGWATCH_DATABASE_URL: url };
  const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), env);
  const told = await daemon.line(({ msg }) => msg === "the database cannot be used");
  expect(told["detail"]).toMatch(/^its answer cannot be read: /);
  expect(await daemon.end("SIGTERM")).toBe(0);
});

it("an aggregator that switches to another protocol, and then resets the connection, is one that fails", async (context) => {
  const switching = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      const head =
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n";
      socket.write(head, () => setTimeout(() => socket.resetAndDestroy(), 50));
    });
  });
  await new Promise<void>((resolve) => switching.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void switching.close());
  const { port } = switching.address() as AddressInfo;
  const config = quickConfig({ url: `http://127.0.0.1:${port}`, mode: "shadow" });
  const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), ACT_KEY);
  await daemon.line(alertLine("PollFailing", "firing"));
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  expect(await daemon.end("SIGTERM")).toBe(0);
});
