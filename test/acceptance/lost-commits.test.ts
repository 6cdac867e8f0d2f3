import { describe, expect, it, type TestContext } from "vitest";
import { connectMigrated, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const server = usePostgres();

const TABLES = ["state", "finding", "record", "lease"];

/** Replicas on a database whose state of an instant can be kept, and restored while they run. */
async function makeWorld(context: TestContext) {
  const aggregator = await startAggregator(context);
  const url = await server().makeDatabase();
  const { query, transaction } = await connectMigrated(context, url);
  const inStore = async (change: (table: string) => readonly string[]): Promise<void> => {
    const done = await transaction(async (ask) => {
      await ask(`LOCK TABLE ${TABLES.join(", ")} IN ACCESS EXCLUSIVE MODE`);
      for (const table of TABLES) for (const sql of change(table)) await ask(sql);
    });
    expect(done.ok).toBe(true);
  };
  return {
    aggregator,
    start: async (name: string): Promise<Daemon> => {
      const own = `journal: { postgres: { replica: ${name}, lease: 3s } }\n`;
      const config = quickConfig({ timeout: "2s", url: aggregator.url, mode: "act" }) + own;
      return await startDaemon(context, makeHome(context, config, QUICK_RULES), {
        ...ACT_KEY,
        AGGWATCH_DATABASE_URL: url,
      });
    },
    disable: (exchange: string): void => aggregator.control({ do: "disable_exchange", exchange }),
    save: async (): Promise<void> =>
      await inStore((table) => [`CREATE TABLE saved_${table} AS SELECT * FROM ${table}`]),
    restore: async (): Promise<void> =>
      await inStore((table) => [
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM saved_${table}`,
      ]),
    sequence: async (): Promise<number> =>
      Number((await query("SELECT last_sequence AS n FROM lease"))[0]?.["n"]),
  };
}

const verified = async (daemon: Daemon, exchange: string): Promise<unknown> =>
  await daemon.line(
    (line) => remediationLine("verified")(line) && String(line["entity"]).endsWith(exchange),
  );

const acting = async (daemon: Daemon, inEpoch: number): Promise<unknown> =>
  await daemon.line(({ msg, epoch }) => msg === "acting" && epoch === inEpoch);

/** Without those that were held back before they were sent, as on a busy machine: they are wanted again. */
const repairs = async (daemon: Daemon): Promise<readonly string[]> =>
  (await daemon.status()).remediations
    .filter(({ state, detail }) => !(state === "rejected" && detail.startsWith("not sent: ")))
    .map(({ entity }) => entity.id)
    .sort();

describe("a database that is restored to an older state while a replica runs on it", () => {
  it("is noticed: the replica says what was lost, reads again, and goes on from what is there", async (context) => {
    const { aggregator, start, disable, save, restore } = await makeWorld(context);
    const daemon = await start("a");
    disable("BINANCE");
    await verified(daemon, "BINANCE");
    await save();
    disable("KUCOIN");
    await verified(daemon, "KUCOIN");
    await restore();
    disable("OKX");
    const lost = await daemon.line(({ msg }) => msg === "standing by: the lease is lost");
    expect(lost["detail"]).toMatch(/the database has lost what it had acknowledged/);
    await acting(daemon, 2);
    await verified(daemon, "OKX");
    // What it shows is what is there: no action is shown that the database does not know.
    expect(await repairs(daemon)).toEqual(["BINANCE", "OKX"]);
    for (const exchange of ["BINANCE", "KUCOIN", "OKX"])
      expect(aggregator.count("POST", `/exchange/toggle/${exchange}`), exchange).toBe(1);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  it("is not shown by a standby that is read only after the database has caught up", async (context) => {
    const { aggregator, start, disable, save, restore, sequence } = await makeWorld(context);
    const owner = await start("a");
    await acting(owner, 1);
    const standbys = [await start("b"), await start("c")];
    await save();
    for (const exchange of ["KUCOIN", "UNISWAP"]) {
      disable(exchange);
      await verified(owner, exchange);
    }
    for (const standby of standbys) expect(await repairs(standby)).toEqual(["KUCOIN", "UNISWAP"]);
    const before = await sequence();
    await restore();
    disable("OKX");
    const taken = [owner, ...standbys].map(async (one) => {
      await acting(one, 2);
      return one;
    });
    await verified(await Promise.race(taken), "OKX");
    for (let isOff = false; (await sequence()) <= before; isOff = !isOff) {
      const command = isOff ? "enable_pair" : "disable_pair";
      aggregator.control({ do: command, exchange: "BINANCE", pair: "ORN-USDT" });
      await aggregator.next("GET", "/disabled");
    }
    for (const standby of standbys) {
      // What was read is shown for some seconds.
      for (let polls = 0; polls < 15 && (await repairs(standby)).includes("KUCOIN"); polls += 1)
        await aggregator.next("GET", "/disabled");
      expect(await repairs(standby)).toEqual(["OKX"]);
    }
    expect(aggregator.count("POST", "/exchange/toggle/OKX")).toBe(1);
  });
});
