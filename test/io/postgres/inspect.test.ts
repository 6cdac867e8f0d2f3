import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { makeHome, runCli } from "../../acceptance/daemon.ts";
import { quickConfig } from "../../acceptance/quick.ts";
import { copyToFile } from "../../../src/io/postgres/copy-to-file.ts";
import { inspectDatabase } from "../../../src/io/postgres/inspect.ts";
import { connectMigrated, usePostgres } from "./fixture.ts";

const server = usePostgres();

/** Findings of a kilobyte each, and rows. */
async function filled(context: TestContext, findings: number, rows = 10) {
  const url = await server().makeDatabase();
  const database = await connectMigrated(context, url);
  await database.query(
    `INSERT INTO finding (at, type, body) SELECT n, 'kill',
       '{"type":"kill","source":"operator","on":true,"detail":"' || repeat('x', 1000) || '"}'
     FROM generate_series(1, $1::integer) AS n`,
    [findings],
  );
  await database.query(
    `INSERT INTO state (unit, name, key, value, sequence)
     SELECT 'senders/1', 'counter', 'k' || n, '1', 1 FROM generate_series(1, $1::integer) AS n`,
    [rows],
  );
  return { url, database };
}

it("a check and a copy say how far they are, part by part", async (context) => {
  const { database } = await filled(context, 4_500, 2_500);
  const said: string[] = [];
  const onProgress = (text: string): void => void said.push(text);
  const info = await inspectDatabase(database, onProgress);
  expect(info).toMatchObject({ findings: 4_500, rows: { counter: 2_500 }, pages: 0, problems: [] });
  expect(said).toEqual([
    "read 2000 of 2500 rows of state",
    "read 2500 of 2500 rows of state",
    "read 2000 of 4500 findings",
    "read 4000 of 4500 findings",
    "read 4500 of 4500 findings",
  ]);
  said.length = 0;
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-inspect-"));
  context.onTestFinished(() => rmSync(directory, { recursive: true }));
  await copyToFile(database, join(directory, "copy.sqlite"), onProgress);
  expect(said.at(-1)).toBe("copied 2500 rows, 4500 findings, 0 pages");
  expect(said.length).toBeGreaterThan(3);
});

it("a check names the first problems, however many there are", async (context) => {
  const { database } = await filled(context, 10);
  await database.query("UPDATE finding SET body = 'broken ' || seq");
  await database.query("UPDATE state SET value = 'broken'");
  const { problems } = await inspectDatabase(database);
  expect(problems).toHaveLength(20);
  expect(problems).toContainEqual(expect.stringMatching(/^the row counter k1 of senders\/1: /));
});

it("a journal that is larger than the memory is checked and saved", async (context) => {
  const { url } = await filled(context, 150_000);
  const home = makeHome(context, quickConfig({ url: "http://127.0.0.1:9", mode: "shadow" }), "");
  const env = { AGGWATCH_DATABASE_URL: url, NODE_OPTIONS: "--max-old-space-size=72" };
  const journal = (...args: readonly string[]) =>
    runCli(context, ["journal", ...args, "--config", home.config], env);
  const checked = await journal("check");
  expect(checked).toMatchObject({ code: 0, signal: null });
  expect(checked.out).toContain("150000 findings");
  const file = join(home.data, "copy.sqlite");
  expect(await journal("backup", file)).toMatchObject({
    code: 0,
    out: expect.stringContaining("150000 findings"),
  });
});
