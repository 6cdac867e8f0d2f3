import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import type { Change } from "../../../src/domain/step.ts";
import { openJournal, type Journal } from "../../../src/io/journal/journal.ts";
import { HOME } from "../../../src/domain/lease.ts";
import { leaseStore } from "../../../src/io/postgres/lease.ts";
import { temporaryDirectory } from "../../io/temporary-directory.ts";
import { connect, connectMigrated, usePostgres } from "../../io/postgres/fixture.ts";
import { commandLine } from "../command-line.ts";

const server = usePostgres();
const AT = Date.UTC(2026, 0, 1);

/** A journal in a file, of a few rows of each kind of thing, and of keys that PostgreSQL cannot store as they are. */
function fill(directory: string): void {
  const journal = open(directory);
  const changes: Change[] = Array.from({ length: 3_000 }, (_, n) => ({
    table: "entity",
    key: `bsc/exchange/${n} \u0000 \\u0000 日本`,
    value: { n, text: "\u0000\ud800" },
  }));
  const finding = { type: "kill", source: "operator", on: true, detail: "why" } as const;
  const findings = [1, 2, 3].map((n) => ({ at: AT + n, finding }));
  const page = { at: AT, until: AT, whole: true, body: '[{"t":"open"}]' };
  expect(
    journal.commit({ at: AT, changes, findings, pages: [page, { ...page, at: AT + 1 }] }).ok,
  ).toBe(true);
  journal.close();
}

function open(directory: string): Journal {
  const opened = openJournal(directory);
  if (!opened.ok) throw new Error(opened.problem);
  return opened.value;
}

function held(directory: string): unknown {
  const journal = open(directory);
  const found = { rows: [...journal.rows()], findings: journal.findings(10) };
  journal.close();
  return found;
}

async function home(context: TestContext) {
  const directory = temporaryDirectory();
  context.onTestFinished(directory.remove);
  const url = await server().makeDatabase();
  const env = { AGGWATCH_DATABASE_URL: url };
  const run = async (...args: string[]) => await commandLine(["journal", ...args], env);
  return { url, env, run, from: join(directory.path, "from"), to: join(directory.path, "to") };
}

it("a journal is moved to PostgreSQL and back, and nothing of it differs", async (context) => {
  const { run, from, to } = await home(context);
  fill(from);
  const there = await run("copy", "--from", from, "--to", "postgres");
  expect(there).toMatchObject({ exitCode: 0 });
  expect(there.printed).toContain("3000 rows of state, 3 findings and 2 pages of the record");
  expect(await run("check")).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining("\nok"),
  });
  const info = await run("info");
  expect(info.printed).toContain("the lease is free");
  expect(info.printed).toContain("  entity: 3000");
  expect((await run("copy", "--from", "postgres", "--to", to)).exitCode).toBe(0);
  expect(held(to)).toEqual(held(from));
  const backup = join(from, "backup.sqlite");
  expect(await run("backup", backup)).toMatchObject({ exitCode: 0 });
  expect(readdirSync(from)).toContain("backup.sqlite");
});

it("info and check give JSON, of a file as of the database, with what is wrong", async (context) => {
  const { run, from, url } = await home(context);
  fill(from);
  await run("copy", "--from", from, "--to", "postgres");
  const known = { rows: { entity: 3000 }, findings: 3, oldest_finding: "2026-01-01T00:00:00.001Z" };
  for (const what of ["info", "check"])
    for (const where of [["--data", from], []]) {
      const { exitCode, printed } = await run(what, ...where, "--json");
      expect(exitCode).toBe(0);
      expect(JSON.parse(printed)).toMatchObject({ ...known, problems: [] });
    }
  const database = await connect(context, url);
  await database.query("INSERT INTO state VALUES ('home', 'alert', 'odd', '{ not JSON', 1)");
  const damaged = await run("check", "--json");
  expect(damaged.exitCode).toBe(1);
  expect(JSON.parse(damaged.printed)).toMatchObject({
    problems: [expect.stringContaining("the row alert odd: not JSON")],
  });
});

it("a summary keeps within the width of a terminal, of a file as of the database", async (context) => {
  const { env, from } = await home(context);
  fill(from);
  await commandLine(["journal", "copy", "--from", from, "--to", "postgres"], env);
  for (const what of ["info", "check"])
    for (const where of [["--data", from], []]) {
      const { printed } = await commandLine(["journal", what, ...where], env, { width: 40 });
      expect(printed).toContain("3 findings, from 2026-01-01T00:00:00Z to");
      expect(Math.max(...printed.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(40);
    }
});

it("nothing is written over: neither a journal in the database, nor one in a directory", async (context) => {
  const { run, from } = await home(context);
  fill(from);
  expect((await run("copy", "--from", from, "--to", "postgres")).exitCode).toBe(0);
  const again = await run("copy", "--from", from, "--to", "postgres");
  expect(again).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("holds a journal already"),
  });
  const back = await run("copy", "--from", "postgres", "--to", from);
  expect(back).toMatchObject({
    exitCode: 1,
    complained: `${from}/journal.sqlite exists already`,
  });
});

it("says why a copy cannot be written where there is no directory", async (context) => {
  const { run, from } = await home(context);
  fill(from);
  await run("copy", "--from", from, "--to", "postgres");
  const file = join(from, "journal.sqlite", "backup.sqlite");
  expect(await run("backup", file)).toMatchObject({
    exitCode: 1,
    complained: expect.stringMatching(`^${file} cannot be written: ENOTDIR`),
  });
});

it("two copies into one file at once: the second is refused, and the first is whole", async (context) => {
  const { run, from, to } = await home(context);
  fill(from);
  await run("copy", "--from", from, "--to", "postgres");
  const copy = async () => await run("copy", "--from", "postgres", "--to", to);
  const [one, other] = (await Promise.all([copy(), copy()])).toSorted(
    (a, b) => a.exitCode - b.exitCode,
  );
  expect(one).toMatchObject({ exitCode: 0 });
  expect(other).toMatchObject({
    exitCode: 1,
    // The second may also come when the first is done, or is just being named.
    complained: expect.stringMatching(/written by another process|already/),
  });
  expect(readdirSync(to)).toEqual(["journal.sqlite"]);
  expect(held(to)).toEqual(held(from));
});

it("a log without its journal is said to be one, and stays", async (context) => {
  const { run, from, to } = await home(context);
  fill(from);
  await run("copy", "--from", from, "--to", "postgres");
  mkdirSync(to);
  writeFileSync(join(to, "journal.sqlite-wal"), "commits");
  expect(await run("copy", "--from", "postgres", "--to", to)).toMatchObject({
    exitCode: 1,
    complained: `${to}/journal.sqlite-wal exists already`,
  });
});

it("a journal that begins while another is copied there stays", async (context) => {
  const { run, from, to } = await home(context);
  fill(from);
  await run("copy", "--from", from, "--to", "postgres");
  const copied = run("copy", "--from", "postgres", "--to", to);
  await expect
    .poll(() => existsSync(join(to, "journal.sqlite.unfinished")), { interval: 1 })
    .toBe(true);
  const begun = open(to);
  expect(await copied).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("exists already"),
  });
  expect(begun.inPlace()).toEqual({ ok: true, value: undefined });
  begun.close();
});

it("a statement of a copy may take a minute, as no lease waits for it", async (context) => {
  const { run, from, url } = await home(context);
  const { query } = await connectMigrated(context, url);
  await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''it may take %'', current_setting(''statement_timeout''); END'`);
  await query(
    "CREATE TRIGGER refuse BEFORE INSERT ON state FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
  );
  fill(from);
  expect(await run("copy", "--from", from, "--to", "postgres")).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("nothing was copied: it may take 1min"),
  });
});

it("a database that a replica uses is left alone, and so is a file that is in use", async (context) => {
  const { run, from, url } = await home(context);
  const database = await connectMigrated(context, url);
  await leaseStore(database, HOME).take("other/1");
  fill(from);
  const refused = await run("copy", "--from", from, "--to", "postgres");
  expect(refused).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("replica other/1"),
  });
  expect(await database.query("SELECT * FROM state")).toEqual([]);
  const inUse = open(from);
  const busy = await run("copy", "--from", from, "--to", "postgres");
  expect(busy).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("in use by a running"),
  });
  inUse.close();
});

it("says what is wrong, and what PostgreSQL looks after itself", async (context) => {
  const { run, from, url } = await home(context);
  expect(await run("check")).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("holds no journal of aggwatch"),
  });
  fill(from);
  await run("copy", "--from", from, "--to", "postgres");
  const database = await connect(context, url);
  await database.query("INSERT INTO state VALUES ('home', 'alert', 'odd', '{ not JSON', 1)");
  const checked = await run("check");
  expect(checked).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("the row alert odd: not JSON"),
  });
  expect(await run("repair")).toMatchObject({
    exitCode: 1,
    complained: expect.stringContaining("in PostgreSQL, which repairs"),
  });
  expect(await run("copy", "--from", "a", "--to", "b")).toMatchObject({ exitCode: 2 });
});
