import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { MINUTE } from "../../src/domain/time.ts";
import { TIMEOUTS } from "../../src/io/postgres/database.ts";
import { lockedSchemaVersion } from "../../src/io/postgres/schema.ts";
import { endConnections } from "../io/postgres/end-connections.ts";
import { connect, connectMigrated, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runArguments, runCli, startDaemon, type LogLine } from "./daemon.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";
import { makeCluster, owns, SENDER, unitOf } from "./units.ts";

const server = usePostgres();

/** What a replica ends with that cannot start on a database, in one line. */
async function refused(context: TestContext, database: string): Promise<string> {
  const config = quickConfig({ url: "http://127.0.0.1:9", mode: "shadow" });
  const args = runArguments(makeHome(context, config, QUICK_RULES));
  const ended = await runCli(context, args, { ...ACT_KEY, AGGWATCH_DATABASE_URL: database });
  expect(ended.code).toBe(1);
  return ended.err;
}

describe("a database on which a replica cannot start", () => {
  it("ends the start with its own words, and with what they mean", async (context) => {
    const url = await server().makeDatabase();
    const { query } = await connect(context, url);
    const as = new URL(url);
    as.username = "guest";
    await query("CREATE ROLE guest LOGIN");
    expect(await refused(context, as.href)).toBe(
      "aggwatch cannot start: the database cannot be used: permission denied for schema public: the role of the URL needs to own the tables, or a schema in which it may make them\n",
    );
    as.pathname = "none";
    expect(await refused(context, as.href)).toBe(
      'aggwatch cannot start: the database cannot be used: database "none" does not exist\n',
    );
  });
});

describe("a database that is not there yet when a replica starts", () => {
  const started = async (context: TestContext, database: string) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "act" });
    const env = { ...ACT_KEY, AGGWATCH_DATABASE_URL: database };
    return await startDaemon(context, makeHome(context, config, QUICK_RULES), env);
  };
  const isTold = ({ msg }: LogLine): boolean => msg === "the database cannot be used";

  it("is waited for: healthy, not ready, with the reason everywhere, and acting once it is there", async (context) => {
    const url = await server().makeDatabase();
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    const daemon = await started(context, url);
    const why = `connect ECONNREFUSED 127.0.0.1:${server().port}`;
    expect(await daemon.line(isTold)).toMatchObject({ level: "warn", detail: why });
    const ready = await fetch(`${daemon.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringMatching(new RegExp(`^the database cannot be used: ${why}$`, "m")),
    ]);
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    const shown = await fetch(`${daemon.url}/api/v1/status`);
    expect([shown.status, await shown.text()]).toEqual([
      503,
      `{"error":"the database cannot be read: ${why}"}`,
    ]);
    expect(await daemon.metric("aggwatch_replica_database_up")).toBe(0);
    await server().start();
    await daemon.line(({ msg }) => msg === "acting");
    expect(await (await fetch(`${daemon.url}/readyz`)).text()).toContain("owner: ");
    // As it starts, it may have given other reasons.
    const reasons = daemon.lines.filter(isTold).map(({ detail }) => detail);
    expect(reasons.filter((reason) => reason === why)).toHaveLength(1);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  it("is no reason to stay when it is there, and says what only a person can mend", async (context) => {
    const absent = new URL(await server().makeDatabase());
    absent.pathname = "none";
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    const daemon = await started(context, absent.href);
    const ended = new Promise((resolve) => daemon.process.once("exit", resolve));
    let said = "";
    daemon.process.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await server().start();
    expect(await ended).toBe(1);
    expect(said).toBe(
      'aggwatch cannot start: the database cannot be used: database "none" does not exist\n',
    );
  });

  it("ends at once on SIGTERM", async (context) => {
    const url = await server().makeDatabase();
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    const daemon = await started(context, url);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  it("may be locked by a session that makes its tables", async (context) => {
    const url = await server().makeDatabase();
    // It holds a lock in a transaction for as long as a process takes to start.
    const timeouts = { ...TIMEOUTS, statement: MINUTE };
    const { transaction } = await connect(context, url, { timeouts });
    const daemon = await transaction(async (ask) => {
      await lockedSchemaVersion(ask);
      const waiting = await started(context, url);
      const { detail } = await waiting.line(isTold);
      expect(detail).toMatch(/lock timeout: another session holds a lock; pg_locks/);
      return waiting;
    });
    if (!daemon.ok) throw new Error(daemon.problem.detail);
    await daemon.value.line(({ msg }) => msg === "acting");
  });
});

describe("a database that answers, and lets nothing be written", () => {
  it("is logged once, and so is that it can be written again, whatever the URL says of it", async (context) => {
    const aggregator = await startAggregator(context);
    const url = await server().makeDatabase();
    await connectMigrated(context, url);
    const name = new URL(url).pathname.slice(1);
    // From another database: a connection to this one that is made later can write nothing either.
    const { query } = await connect(context, new URL("/postgres", url).href);
    await query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const config = quickConfig({ url: aggregator.url, mode: "act" });
    const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), {
      ...ACT_KEY,
      AGGWATCH_DATABASE_URL: `${url}?target_session_attrs=read-write`,
    });
    const told = await daemon.line(({ msg }) => msg === "the database cannot be used");
    expect(told).toMatchObject({
      level: "warn",
      detail:
        "cannot execute INSERT in a read-only transaction: it is a standby, or set to be read only: the URL must lead to the primary",
    });
    await query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    const again = daemon.line(({ msg }) => msg === "the database can be used again");
    const [row] = await query("SELECT clock_timestamp()::text AS now");
    const isReadOnly = `datname = '${name}' AND backend_start < '${String(row?.["now"])}'`;
    await endConnections(query, isReadOnly, again);
    await daemon.line(({ msg }) => msg === "acting");
    expect(daemon.lines.filter(({ msg }) => msg === told["msg"])).toHaveLength(1);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});

describe("a database that fails for one reason after another", () => {
  it("is said to fail for the newest, on /readyz, in the status and once each in the log", async (context) => {
    const url = await server().makeDatabase();
    const name = new URL(url).pathname.slice(1);
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "act" });
    const env = { ...ACT_KEY, AGGWATCH_DATABASE_URL: url };
    const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), env);
    await daemon.line(({ msg }) => msg === "acting");
    const { query } = await connect(context, new URL("/postgres", url).href);
    await query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    const first = `database "${name}" is not currently accepting connections`;
    const said = (words: string) => (line: LogLine) =>
      line["msg"] === words && String(line["detail"]).includes(first);
    await endConnections(
      query,
      `datname = '${name}'`,
      daemon.line(said("the database cannot be used")),
    );
    await daemon.line(({ msg }) => msg === "kill switch");
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    const second = `connect ECONNREFUSED 127.0.0.1:${server().port}`;
    const isSecond = ({ detail }: LogLine): boolean => detail === second;
    const words = [
      "the database cannot be used",
      "the journal cannot be written for another reason now",
    ];
    for (const msg of words) await daemon.line((line) => line["msg"] === msg && isSecond(line));
    for (const page of ["readyz", "healthz"])
      expect(await (await fetch(`${daemon.url}/${page}`)).text()).toContain(second);
    expect((await daemon.status()).killed).toMatchObject([{ source: "journal", reason: second }]);
    expect(daemon.lines.filter(isSecond)).toHaveLength(2);
    await server().start();
  });
});

describe("a database that takes no row of a unit of senders", () => {
  it("makes the replica that owns it unready, whatever else it can write, until it takes them", async (context) => {
    const url = await server().makeDatabase();
    const cluster = await makeCluster(context, url);
    const daemon = await cluster.start("a");
    await daemon.line(owns(unitOf(SENDER)));
    const { query } = await connect(context, url);
    await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''No space left on device'' USING ERRCODE = ''53100''; END'`);
    await query(`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON state
      FOR EACH ROW WHEN (NEW.unit <> 'home') EXECUTE FUNCTION refuse()`);
    cluster.aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    const unit = `senders/${unitOf(SENDER)}`;
    const told = (on: boolean) => (line: LogLine) =>
      line["msg"] === "kill switch" && line["unit"] === unit && line["on"] === on;
    await daemon.line(told(true));
    const refusing = await fetch(`${daemon.url}/readyz`);
    expect(refusing.status).toBe(503);
    expect(await refusing.text()).toMatch(
      new RegExp(`^${unit}: the journal cannot be written.*No space left on device$`, "m"),
    );
    await query("DROP TRIGGER refuse ON state");
    await daemon.line(told(false));
    expect(await (await fetch(`${daemon.url}/readyz`)).text()).not.toContain(unit + ":");
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});

describe("the credentials of a database", () => {
  it("are read again for each connection, so that rotated ones need no restart", async (context) => {
    const url = new URL(await server().makeDatabase());
    const { query } = await connect(context, url.href);
    await query("CREATE ROLE old LOGIN");
    await query("CREATE ROLE rotated LOGIN IN ROLE old");
    await query("GRANT CREATE ON SCHEMA public TO old");
    const aggregator = await startAggregator(context);
    const own = "journal: { postgres: { url_file: database-url, lease: 3s } }\n";
    const config = quickConfig({ timeout: "2s", url: aggregator.url, mode: "act" }) + own;
    const home = makeHome(context, config, QUICK_RULES);
    const file = join(dirname(home.config), "database-url");
    const write = (user: string, host = "127.0.0.1"): void => {
      [url.username, url.hostname] = [user, host];
      writeFileSync(file, url.href);
    };
    write("old");
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line(({ msg }) => msg === "acting");
    await query("ALTER ROLE old NOLOGIN");
    const told = daemon.line(({ msg }) => msg === "the database cannot be used");
    await endConnections(query, "usename = 'old'", told);
    write("rotated");
    await daemon.line(({ msg }) => msg === "the database can be used again");
    daemon.process.kill("SIGHUP");
    await daemon.line(({ msg }) => msg === "reloaded");
    write("rotated", "localhost");
    const refused = await daemon.line(({ msg }) => String(msg).startsWith("reload failed"));
    expect(String(refused["problems"])).toContain('"journal.postgres.url" cannot change');
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});
