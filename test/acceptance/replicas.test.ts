import { describe, expect, it, type TestContext } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const server = usePostgres();

const toggle = (exchange: string): string => `/exchange/toggle/${exchange}`;
const disable = (exchange: string) => ({ do: "disable_exchange", exchange });

/** A replica with a home of its own, on a database that it shares with others. */
async function startReplica(
  context: TestContext,
  name: string,
  { database, aggregator }: { readonly database: string; readonly aggregator: string },
): Promise<Daemon> {
  const own = `journal: { postgres: { replica: ${name}, lease: 3s } }\n`;
  const home = makeHome(context, quickConfig({ url: aggregator, mode: "act" }) + own, QUICK_RULES);
  return await startDaemon(context, home, { ...ACT_KEY, AGGWATCH_DATABASE_URL: database });
}

const isActing = (line: Readonly<Record<string, unknown>>): boolean => line["msg"] === "acting";
const ready = async ({ url }: Daemon): Promise<string> =>
  await (await fetch(`${url}/readyz`)).text();

/** One that acts, and one that stands by. */
async function startPair(
  context: TestContext,
  aggregator: string,
): Promise<{ readonly a: Daemon; readonly b: Daemon; readonly database: string }> {
  const world = { database: await server().makeDatabase(), aggregator };
  const a = await startReplica(context, "a", world);
  await a.line(isActing);
  const b = await startReplica(context, "b", world);
  return { a, b, database: world.database };
}

describe("two replicas on one database", () => {
  it("act as one: the other takes over after SIGKILL, and repairs what comes then", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, aggregator.url);
    expect(await ready(a)).toContain("owner: a, epoch 1");
    expect(await ready(b)).toMatch(/^ok\nstandby: b; a\/\w+ has the lease\n$/);
    aggregator.control(disable("BINANCE"));
    await a.line(remediationLine("verified"));
    await a.end("SIGKILL");
    expect(await b.line(isActing)).toMatchObject({ epoch: 2 });
    expect(await ready(b)).toContain("owner: b, epoch 2");
    aggregator.control(disable("KUCOIN"));
    await b.line(remediationLine("verified"));
    expect(aggregator.count("POST", toggle("BINANCE"))).toBe(1);
    expect(aggregator.count("POST", toggle("KUCOIN"))).toBe(1);
    expect(await b.end("SIGTERM")).toBe(0);
  });

  it("send an action once, though the one that sent it is killed before its answer", async (context) => {
    let kill: (() => void) | undefined;
    const aggregator = await startAggregator(context, {
      before: ({ method }) => {
        if (method === "POST") kill?.();
      },
    });
    const { a, b } = await startPair(context, aggregator.url);
    kill = () => void a.end("SIGKILL");
    aggregator.control(disable("BINANCE"));
    await b.line(isActing);
    await b.line(remediationLine("in_doubt"));
    await b.line(remediationLine("verified"));
    await b.line(alertLine("ExchangeDisabled", "resolved"));
    expect(aggregator.count("POST", toggle("BINANCE"))).toBe(1);
  });

  it("hand over on SIGTERM: the lease is free at once, and taken", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, aggregator.url);
    expect(await a.end("SIGTERM")).toBe(0);
    expect(await b.line(isActing)).toMatchObject({ epoch: 2 });
  });
});
