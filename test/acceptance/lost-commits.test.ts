import { describe, expect, it } from "vitest";
import { connectMigrated, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const server = usePostgres();

const TABLES = ["state", "finding", "record", "lease"];

describe("a database that is restored to an older state while a replica runs on it", () => {
  it("is noticed: the replica says what was lost, reads anew, and goes on from what is there", async (context) => {
    const aggregator = await startAggregator(context);
    const url = await server().makeDatabase();
    const { transaction } = await connectMigrated(context, url);
    const own = "journal: { postgres: { replica: a, lease: 3s } }\n";
    const config = quickConfig({ url: aggregator.url, mode: "act" }) + own;
    const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), {
      ...ACT_KEY,
      AGGWATCH_DATABASE_URL: url,
    });
    const repaired = async (exchange: string): Promise<void> => {
      aggregator.control({ do: "disable_exchange", exchange });
      await daemon.line(
        (line) => remediationLine("verified")(line) && String(line["entity"]).endsWith(exchange),
      );
    };
    const inStore = async (change: (table: string) => readonly string[]): Promise<void> => {
      const done = await transaction(async (ask) => {
        await ask(`LOCK TABLE ${TABLES.join(", ")} IN ACCESS EXCLUSIVE MODE`);
        for (const table of TABLES) for (const sql of change(table)) await ask(sql);
      });
      expect(done.ok).toBe(true);
    };
    await repaired("BINANCE");
    await inStore((table) => [`CREATE TABLE saved_${table} AS SELECT * FROM ${table}`]);
    await repaired("KUCOIN");
    await inStore((table) => [
      `DELETE FROM ${table}`,
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM saved_${table}`,
    ]);
    aggregator.control({ do: "disable_exchange", exchange: "OKX" });
    const lost = await daemon.line(({ msg }) => msg === "standing by: the lease is lost");
    expect(lost["detail"]).toMatch(/the database has lost what it had acknowledged/);
    expect(await daemon.line(({ msg, epoch }) => msg === "acting" && epoch === 2)).toBeDefined();
    await daemon.line(
      (line) => remediationLine("verified")(line) && String(line["entity"]).endsWith("OKX"),
    );
    // What it shows is what is there: no action is shown that the database does not know.
    const { remediations } = await daemon.status();
    expect(remediations.map(({ entity }) => entity.id).sort()).toEqual(["BINANCE", "OKX"]);
    for (const exchange of ["BINANCE", "KUCOIN", "OKX"])
      expect(aggregator.count("POST", `/exchange/toggle/${exchange}`), exchange).toBe(1);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
