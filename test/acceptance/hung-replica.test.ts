import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, type TestContext } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import { SOURCE } from "../made-once.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const server = usePostgres();

const HOOK = pathToFileURL(join(import.meta.dirname, "hung-commits-hook.mjs")).href;
const KUCOIN = "/exchange/toggle/KUCOIN";
/** It is dropped after a minute of its own time; a busy machine gives it less than that. */
const DROPPED = { what: "that it stands by", atMostMs: 200_000 };
const TAKEN_OVER = { what: "that it acts", atMostMs: 60_000 };

const isActing = (line: Readonly<Record<string, unknown>>): boolean => line["msg"] === "acting";

async function health({ url }: Daemon): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${url}/healthz`);
  return { status: reply.status, text: await reply.text() };
}

async function startReplica(
  context: TestContext,
  name: string,
  world: { readonly database: string; readonly aggregator: string; readonly hook?: string },
): Promise<Daemon> {
  const own = `journal: { postgres: { replica: ${name}, lease: 3s } }\n`;
  const config = quickConfig({ timeout: "2s", url: world.aggregator, mode: "act" }) + own;
  const home = makeHome(context, config, QUICK_RULES);
  const hooked: Record<string, string> =
    world.hook === undefined ? {} : { NODE_OPTIONS: `--import ${world.hook}` };
  const env = { ...ACT_KEY, ...hooked, AGGWATCH_DATABASE_URL: world.database };
  // The hook changes a library, and the built program brings its own.
  return await startDaemon(context, home, env, { program: SOURCE });
}

it("a replica whose commits hang says so, is dropped though its lease is renewed, and sends nothing", async (context) => {
  const aggregator = await startAggregator(context);
  const world = { database: await server().makeDatabase(), aggregator: aggregator.url };
  const a = await startReplica(context, "a", { ...world, hook: HOOK });
  await a.line(isActing);
  const b = await startReplica(context, "b", world);
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await a.line(remediationLine("verified"));
  expect(await health(a)).toMatchObject({ status: 200 });

  a.process.kill("SIGUSR2");
  aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  let told = await health(a);
  // It goes on reading all the time, and so the reads are what it is asked after.
  while (!told.text.includes("home: what it does as the owner has done nothing for")) {
    await aggregator.next("GET", "/exchange/disabled");
    told = await health(a);
  }
  expect(told.status).toBe(503);
  expect(await a.metric("aggwatch_replica_owner")).toBe(0);
  const dropped = await a.line(({ msg }) => String(msg).startsWith("standing by"), DROPPED);
  expect(dropped["detail"]).toMatch(/^what it does as the owner has done nothing for /);
  await b.line(isActing, TAKEN_OVER);
  expect(aggregator.count("POST", KUCOIN)).toBe(0);
  await b.line(remediationLine("verified"));
  await b.line(alertLine("ExchangeDisabled", "resolved"));
  expect(aggregator.count("POST", KUCOIN)).toBe(1);
  expect(await health(a)).toMatchObject({ status: 200 });
  // It asks for the lease again only later, and knows then who has it.
  let role = "";
  while (!/standby: a; b\/\w+ has the lease/.test(role)) {
    await aggregator.next("GET", "/exchange/disabled");
    role = await (await fetch(`${a.url}/readyz`)).text();
  }
  expect(await a.end("SIGTERM")).toBe(0);
  expect(await b.end("SIGTERM")).toBe(0);
}, 400_000);
