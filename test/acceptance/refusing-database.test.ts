import { describe, expect, it } from "vitest";
import { connectMigrated, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";

const server = usePostgres();

describe("a database that answers, and lets nothing be written", () => {
  it("is told of in the log, once, and so is that it can be written again", async (context) => {
    const aggregator = await startAggregator(context);
    const url = await server().makeDatabase();
    const { query } = await connectMigrated(context, url);
    const name = new URL(url).pathname.slice(1);
    await query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const config = quickConfig({ url: aggregator.url, mode: "act" });
    const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), {
      ...ACT_KEY,
      AGGWATCH_DATABASE_URL: url,
    });
    const told = await daemon.line(({ msg }) => msg === "the database cannot be asked");
    expect(told).toMatchObject({
      level: "warn",
      detail: "cannot execute INSERT in a read-only transaction",
    });
    await query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()",
      [name],
    );
    await daemon.line(({ msg }) => msg === "the database can be asked again");
    await daemon.line(({ msg }) => msg === "acting");
    expect(daemon.lines.filter(({ msg }) => msg === told["msg"])).toHaveLength(1);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
