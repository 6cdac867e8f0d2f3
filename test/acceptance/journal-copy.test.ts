import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, test, type TestContext } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { openJournal } from "../../src/io/journal/journal.ts";
import { MIGRATIONS, migrate, schemaVersion } from "../../src/io/postgres/schema.ts";
import { commandLine } from "../cli/command-line.ts";
import { connect, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, runCli, startDaemon, type Daemon, type Home } from "./daemon.ts";
import { askAsAlice as ask, withPeople } from "./people.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const server = usePostgres();

const [ORDER] = DEFAULT_LIQUIDATIONS;
const WATCH = `    watch: { liquidations: [{ id: "${ORDER}", alias: margin-call }] }`;
/** Processes take a while to start on a busy machine. */
const TIMEOUT = 180_000;

const START = Date.UTC(2026, 0, 1);

const inDatabase = (url: string): Record<string, string> => ({ AGGWATCH_DATABASE_URL: url });
const copyArguments = (from: string, to: string) => ["journal", "copy", "--from", from, "--to", to];

/** The command in this process: what is refused has no need of one of its own. */
async function refusal(url: string, from: string, to: string): Promise<Refusal> {
  const { exitCode, complained } = await commandLine(copyArguments(from, to), inDatabase(url));
  return { code: exitCode, err: complained };
}

type Refusal = { readonly code: number; readonly err: string };

/** What a daemon shows of what it has in mind, apart from what passes by itself. */
async function inMind(daemon: Daemon): Promise<object> {
  const { alerts, holds, proposals, remediations, aggregators } = await daemon.status();
  const firing = alerts
    .filter(({ state }) => state === "firing")
    .toSorted((one, other) => one.alertname.localeCompare(other.alertname));
  return {
    alerts: firing.map(({ alertname, entity, active_at }) => ({ alertname, entity, active_at })),
    holds,
    proposals: proposals.map(({ id, digest, state, facts }) => ({ id, digest, state, facts })),
    remediations,
    entities: aggregators[0]?.entities.map(({ kind, id, first_seen }) => [kind, id, first_seen]),
  };
}

/** A daemon with a journal in a file ends after it has alerted, repaired, proposed, and been told to hold. */
async function stoppedDaemon(
  context: TestContext,
): Promise<{ readonly home: Home; readonly aggregator: Aggregator; readonly before: object }> {
  const aggregator = await startAggregator(context);
  aggregator.control({ do: "set_order", id: ORDER, status: "ACCEPTED" });
  aggregator.control({ do: "freeze_order", id: ORDER });
  const config = quickConfig({ url: aggregator.url, mode: "act", watch: WATCH });
  const home = makeHome(context, config, QUICK_RULES);
  withPeople(home, config);
  const daemon = await startDaemon(context, home, ACT_KEY);
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await daemon.line(remediationLine("verified"));
  await daemon.line(alertLine("ExchangeDisabled", "resolved"));
  await daemon.line((line) => line["msg"] === "proposed");
  const scope = { kind: "exchange", id: "KUCOIN" };
  await ask(daemon, "/api/v1/holds", { scope, for: "1h", reason: "by hand" });
  aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
  await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "held");
  const before = await inMind(daemon);
  expect(await daemon.end("SIGTERM")).toBe(0);
  return { home, aggregator, before };
}

const WHOLE = [
  "SELECT name, key, value FROM state ORDER BY name, key",
  "SELECT at, type, body, alert FROM finding ORDER BY seq",
  "SELECT seq, at, until, whole FROM record ORDER BY seq",
];

function rowsInFile(data: string): unknown[][] {
  const file = new DatabaseSync(join(data, "journal.sqlite"), { readOnly: true });
  const rows = WHOLE.map((sql) => file.prepare(sql).all().map(Object.values));
  file.close();
  return rows;
}

async function rowsInDatabase(url: string): Promise<unknown[][]> {
  const client = new pg.Client(url);
  await client.connect();
  const rows: unknown[][] = [];
  for (const sql of WHOLE) {
    const found = await client.query<Record<string, unknown>>(sql);
    // The driver gives large integers as text.
    rows.push(
      found.rows.map((row) =>
        Object.entries(row).map(([name, value]) =>
          value !== null && ["seq", "at", "until"].includes(name) ? Number(value) : value,
        ),
      ),
    );
  }
  await client.end();
  return rows;
}

async function tablesIn(url: string): Promise<readonly string[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ readonly name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  await client.end();
  return rows.map(({ name }) => name);
}

/** A journal of a few rows, without the daemon. */
function filledJournal(data: string): void {
  const journal = openJournal(data);
  if (!journal.ok) throw new Error(journal.problem);
  const finding = { type: "kill", source: "operator", on: true, detail: "by hand" } as const;
  const changes = [{ table: "counter", key: "at", value: START }] as const;
  expect(journal.value.commit({ at: START, changes, findings: [{ at: START, finding }] }).ok).toBe(
    true,
  );
  journal.value.close();
}

describe("aggwatch journal copy", { timeout: TIMEOUT }, () => {
  test("there and back keeps every row, and a daemon on each copy knows what the first knew", async (context) => {
    const { home, aggregator, before } = await stoppedDaemon(context);
    const url = await server().makeDatabase();
    const returned = join(dirname(home.data), "returned");
    const run = (...args: readonly string[]) => runCli(context, args, inDatabase(url));
    expect(await run(...copyArguments(home.data, "postgres"))).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /was copied to postgres: \d+ rows of state, \d+ findings and \d+ pages of the record\.\n$/,
      ),
    });
    const back = await run(...copyArguments("postgres", returned));
    expect(back).toMatchObject({ code: 0, err: "" });
    for (const where of [["--data", home.data], [], ["--data", returned]]) {
      const checked = await run("journal", "check", ...where);
      expect(checked, checked.err).toMatchObject({ code: 0, out: expect.stringMatching(/^ok$/m) });
    }
    const rows = rowsInFile(home.data);
    expect(rows.map((table) => table.length > 0)).toEqual([true, true, true]);
    expect(await rowsInDatabase(url)).toEqual(rows);
    expect(rowsInFile(returned)).toEqual(rows);

    const replica = await startDaemon(context, home, { ...ACT_KEY, ...inDatabase(url) });
    await replica.line(alertLine("ExchangeDisabled", "known"));
    expect(await inMind(replica)).toEqual(before);
    expect(await replica.end("SIGTERM")).toBe(0);

    const alone = await startDaemon(context, { ...home, data: returned }, ACT_KEY);
    await alone.line(alertLine("ExchangeDisabled", "known"));
    expect(await inMind(alone)).toEqual(before);
    const { digest } = (await alone.status()).proposals[0] ?? {};
    const approval = { digest, reason: "it hangs" };
    expect((await ask(alone, "/api/v1/proposals/p1/approve", approval)).status).toBe(200);
    await alone.line(remediationLine("verified"));
    expect(aggregator.count("DELETE", ORDER)).toBe(1);
    expect(aggregator.count("POST", "/exchange/toggle/BINANCE")).toBe(1);
    expect(aggregator.count("POST", "/exchange/toggle/KUCOIN")).toBe(0);
  });

  test("refuses a target that holds something, and leaves it as it is", async (context) => {
    const { data } = makeHome(context, "", "");
    filledJournal(data);
    const url = await server().makeDatabase();
    expect((await refusal(url, data, "postgres")).code).toBe(0);
    const rows = rowsInFile(data);
    expect(await refusal(url, data, "postgres")).toEqual({
      code: 1,
      err: "the database holds a journal already: give one that holds none",
    });
    expect(await refusal(url, "postgres", data)).toEqual({
      code: 1,
      err: `${data}/journal.sqlite exists already`,
    });
    expect(await rowsInDatabase(url)).toEqual(rows);
    expect(rowsInFile(data)).toEqual(rows);
  });

  test("refuses to copy from or to where an aggwatch runs", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const url = await server().makeDatabase();
    const alone = await startDaemon(context, home, ACT_KEY);
    expect(await refusal(url, home.data, "postgres")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is in use by a running aggwatch: stop it first"),
    });
    expect(await tablesIn(url)).toEqual([]);
    expect(await alone.end("SIGTERM")).toBe(0);

    const replica = await startDaemon(context, home, { ...ACT_KEY, ...inDatabase(url) });
    await replica.line(({ msg }) => msg === "acting");
    const returned = join(dirname(home.data), "returned");
    const isRunning = {
      code: 1,
      err: expect.stringMatching(/the replica \S+ has the lease of home: stop it first/),
    };
    expect(await refusal(url, "postgres", returned)).toMatchObject(isRunning);
    expect(await refusal(url, home.data, "postgres")).toMatchObject(isRunning);
    expect(existsSync(returned)).toBe(false);
    expect(await replica.end("SIGTERM")).toBe(0);
  });

  test("says what is wrong with what it is given, and makes nothing", async (context) => {
    const url = await server().makeDatabase();
    const { config, data } = makeHome(context, "", "");
    const missing = join(dirname(data), "missing");
    const usage = "Say --from PATH --to postgres, or --from postgres --to DIRECTORY.";
    for (const [from, to] of [
      ["postgres", "postgres"],
      [data, data],
      [data, missing],
    ] as const)
      expect(await refusal(url, from, to)).toEqual({ code: 2, err: usage });
    expect(await refusal(url, missing, "postgres")).toEqual({
      code: 1,
      err: `there is no journal in ${missing}: journal.sqlite is missing`,
    });
    expect(await refusal(url, "postgres", missing)).toEqual({
      code: 1,
      err: "the database holds no journal of aggwatch",
    });
    expect(await commandLine(copyArguments(data, "postgres"))).toMatchObject({
      exitCode: 1,
      complained: expect.stringContaining("Say which database"),
    });
    expect(await tablesIn(url)).toEqual([]);
    expect(readdirSync(dirname(config)).toSorted()).toEqual(["aggwatch.yaml", "data", "rules"]);
  });

  test("leaves a database of an older aggwatch as it is, if it refuses to copy into it", async (context) => {
    const { data } = makeHome(context, "", "");
    filledJournal(data);
    const url = await server().makeDatabase();
    const database = await connect(context, url);
    await migrate(database, MIGRATIONS.slice(0, 1));
    await database.query(
      "INSERT INTO state (unit, name, key, value, sequence) VALUES ('home', 'counter', 'at', '1', 1)",
    );
    expect(await refusal(url, data, "postgres")).toMatchObject({ code: 1 });
    expect(await schemaVersion(database.query)).toBe(1);
    await database.query("DELETE FROM state");
    expect(await refusal(url, data, "postgres")).toMatchObject({ code: 0 });
    expect(await schemaVersion(database.query)).toBe(MIGRATIONS.length);
  });

  test("leaves nothing behind if it is interrupted, and so does a backup", async (context) => {
    const url = await server().makeDatabase();
    const { data } = makeHome(context, "", "");
    filledJournal(data);
    const interrupted = { signal: AbortSignal.abort("SIGINT") };
    const into = await commandLine(copyArguments(data, "postgres"), inDatabase(url), interrupted);
    expect(into).toMatchObject({
      exitCode: 1,
      complained: expect.stringContaining("interrupted by SIGINT"),
    });
    expect((await refusal(url, data, "postgres")).code).toBe(0);
    const file = join(dirname(data), "backup.sqlite");
    const backup = ["journal", "backup", file];
    const out = await commandLine(backup, inDatabase(url), interrupted);
    expect(out).toMatchObject({
      exitCode: 1,
      complained: expect.stringContaining("interrupted by SIGINT"),
    });
    expect(readdirSync(dirname(data)).filter((name) => name.startsWith("backup"))).toEqual([]);
  });

  test("asks for units of senders to be brought together first", async (context) => {
    const { data } = makeHome(context, "", "");
    filledJournal(data);
    const url = await server().makeDatabase();
    expect((await refusal(url, data, "postgres")).code).toBe(0);
    const database = await connect(context, url);
    await database.query("UPDATE sharding SET shards = 2");
    const returned = join(dirname(data), "returned");
    expect(await refusal(url, "postgres", returned)).toMatchObject({
      code: 1,
      err: expect.stringContaining("start one replica with journal.shards: 0"),
    });
    expect(existsSync(returned)).toBe(false);
  });
});
