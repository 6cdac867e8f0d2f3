/** Tests the journal in PostgreSQL as it is deployed: Debian's own server, and a PgBouncer in transaction mode. */
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { startAggregator } from "../acceptance/aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "../acceptance/daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig, remediationLine } from "../acceptance/quick.ts";
import { postgresContract } from "../io/postgres/contract.ts";
import { connect, connectMigrated, usePostgres } from "../io/postgres/fixture.ts";
import { startPgBouncer, type PgBouncer } from "./pgbouncer.ts";
import { findPostgres, findTool } from "./tools.ts";

const debian = findPostgres("the journal in Debian's PostgreSQL");
const program = findTool(["pgbouncer"], "the journal behind PgBouncer");

/** Two replicas that watch senders in units too: one repairs, dies, and the other goes on where it was. */
async function takeOver(context: TestContext, database: string): Promise<void> {
  const aggregator = await startAggregator(context);
  const start = async (name: string): Promise<Daemon> => {
    const own = `journal: { shards: 2, postgres: { replica: ${name}, lease: 3s } }\n`;
    const config = quickConfig({ timeout: "2s", url: aggregator.url, mode: "act" }) + own;
    const home = makeHome(context, config, QUICK_RULES);
    return await startDaemon(context, home, { ...ACT_KEY, AGGWATCH_DATABASE_URL: database });
  };
  const disable = (exchange: string): void =>
    aggregator.control({ do: "disable_exchange", exchange });
  const a = await start("a");
  await a.line(({ msg }) => msg === "acting");
  const b = await start("b");
  disable("BINANCE");
  await a.line(remediationLine("verified"));
  await a.end("SIGKILL");
  expect(await b.line(({ msg }) => msg === "acting")).toMatchObject({ epoch: 2 });
  disable("KUCOIN");
  await b.line(remediationLine("verified"));
  for (const exchange of ["BINANCE", "KUCOIN"])
    expect(aggregator.count("POST", `/exchange/toggle/${exchange}`)).toBe(1);
  expect(await b.end("SIGTERM")).toBe(0);
}

describe.skipIf(debian === undefined)("Debian's PostgreSQL", () => {
  const server = usePostgres({ bin: debian });

  postgresContract(async () => await server().makeDatabase());

  it("has what two replicas need", async (context) => {
    await takeOver(context, await server().makeDatabase());
  });
});

describe.skipIf(program === undefined)("PgBouncer in transaction mode", () => {
  const server = usePostgres();
  let pooler: PgBouncer | undefined;
  beforeAll(async () => {
    if (program !== undefined) pooler = await startPgBouncer(program, server().port);
  });
  afterAll(async () => await pooler?.stop());

  const makeDatabase = async (): Promise<string> => {
    const url = new URL(await server().makeDatabase());
    url.port = String(pooler?.port);
    return url.href;
  };

  postgresContract(makeDatabase);

  it("gives each transaction a connection of its own, so that these tests try something", async (context) => {
    const database = await connect(context, await makeDatabase(), { connections: 1 });
    const serving = async (): Promise<unknown> =>
      (await database.query("SELECT pg_backend_pid() AS pid"))[0]?.["pid"];
    expect(await serving()).not.toBe(await serving());
  });

  it("stands between two replicas that make the schema at once", async (context) => {
    const url = await makeDatabase();
    const both = await Promise.all([connectMigrated(context, url), connectMigrated(context, url)]);
    for (const { query } of both)
      expect(await query("SELECT count(*)::integer AS n FROM aggwatch_schema")).toEqual([{ n: 1 }]);
  });

  it("has what two replicas need", async (context) => {
    await takeOver(context, await makeDatabase());
  });
});
