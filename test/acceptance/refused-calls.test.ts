import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { SECOND } from "../../src/domain/time.ts";
import { connect, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { startPair } from "./pair.ts";
import { askAsAlice } from "./people.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

const server = usePostgres();

test("a daemon names who is refused once, however often they call", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  const home = makeHome(context, `${config}server: { tokens_file: tokens.yaml }\n`, QUICK_RULES);
  const sha256 = createHash("sha256").update("alices-token").digest("hex");
  const tokens = `- { name: alice, token_sha256: ${sha256}, scopes: [operate] }\n`;
  writeFileSync(join(dirname(home.config), "tokens.yaml"), tokens);
  const daemon = await startDaemon(context, home, ACT_KEY);
  const kill = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const answer = await fetch(`${daemon.url}/api/v1/kill`, { method: "POST", headers });
    await answer.text();
    return answer.status;
  };
  for (let count = 0; count < 500; count += 1) {
    expect(await kill({})).toBe(401);
    expect(await kill({ authorization: "Bearer outdated" })).toBe(401);
  }
  const refused = daemon.lines.filter(({ msg }) => msg === "writing call refused");
  expect(refused).toMatchObject([
    { level: "warn", client: "127.0.0.1", reason: "a bearer token is needed" },
    { level: "warn", client: "127.0.0.1", reason: "unknown token" },
  ]);
});

test("a kill that is refused lets a standby read nothing again, and one that is not does", async (context) => {
  const aggregator = await startAggregator(context);
  const url = await server().makeDatabase();
  const { b } = await startPair(context, url, aggregator.url);
  const database = await connect(context, url);
  /** How long ago what is shown was read, in milliseconds that are rounded to whole seconds. */
  const age = async (): Promise<number> => {
    const { replica } = JSON.parse((await askAsAlice(b, "/api/v1/overview")).text);
    return Number(/read from the database (\d+)s ago/.exec(replica)?.[1]) * SECOND;
  };
  // What took a second to read is shown for ten.
  const first = await database.transaction(async (query) => {
    await query("LOCK TABLE state IN ACCESS EXCLUSIVE MODE");
    const reading = age();
    // The owner, which writes, waits for another lock.
    const waits = "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessShareLock'";
    while ((await query(waits)).length === 0);
    await pause(SECOND);
    return { reading };
  });
  expect(first.ok && (await first.value.reading)).not.toBeNaN();
  await pause(2 * SECOND);
  expect((await fetch(`${b.url}/api/v1/kill`, { method: "POST" })).status).toBe(401);
  expect(await age()).toBeGreaterThanOrEqual(2 * SECOND);
  const before = performance.now();
  expect((await askAsAlice(b, "/api/v1/kill", { reason: "odd" })).status).toBe(200);
  expect(await age()).toBeLessThanOrEqual(performance.now() - before + SECOND / 2);
});
