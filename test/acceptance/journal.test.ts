import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/io/journal/schema.ts";
import { commandLine } from "../cli/command-line.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runArguments, runCli, startDaemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";

/** The command in this process: it has no need of one of its own. */
async function journal(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { exitCode, printed, complained } = await commandLine(["journal", ...args]);
  return { code: exitCode, out: printed, err: complained };
}

test("a running journal is backed up by its daemon, for who holds a token, and old copies that stay are named once", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  const home = makeHome(context, config, QUICK_RULES);
  const room = dirname(home.config);
  const tokens = join(room, "tokens.yaml");
  const sha256 = createHash("sha256").update("the-token").digest("hex");
  writeFileSync(tokens, `- { name: alice, token_sha256: ${sha256}, scopes: [operate] }\n`);
  writeFileSync(home.config, `${config}server: { tokens_file: ${tokens} }\n`);
  writeFileSync(join(room, "token"), "the-token\n");
  const daemon = await startDaemon(context, home, ACT_KEY);
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await daemon.line(alertLine("ExchangeDisabled", "firing"));
  const stays = join(home.data, "backups", "journal-2025-01-01T00-00-00.000Z.sqlite.unfinished");
  mkdirSync(stays, { recursive: true });
  const refused = await journal("backup", "--url", daemon.url);
  const made = await journal("backup", "--url", daemon.url, "--token-file", join(room, "token"));
  const held = await journal("check", "--data", home.data);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("a token is needed") });
  expect(made.code, made.err).toBe(0);
  expect(held).toMatchObject({ code: 1, err: expect.stringContaining("is in use") });
  const [, file = ""] = /^(.*\.sqlite): \d+ bytes/.exec(made.out) ?? [];
  expect(dirname(file)).toBe(join(home.data, "backups"));
  expect(await daemon.line((line) => line["msg"] === "journal backed up")).toMatchObject({
    by: "alice",
  });
  expect(existsSync(file)).toBe(true);
  const again = await journal("backup", "--url", daemon.url, "--token-file", join(room, "token"));
  expect(again.code, again.err).toBe(0);
  const [, second = ""] = /^(.*\.sqlite): \d+ bytes/.exec(again.out) ?? [];
  await daemon.line((line) => line["msg"] === "journal backed up" && line["file"] === second);
  const said = daemon.lines.filter(({ msg }) => String(msg).startsWith("old backups cannot"));
  expect(said).toMatchObject([
    {
      level: "warn",
      undeleted: [{ file: stays, problem: expect.stringContaining("EISDIR") }],
      msg: "old backups cannot be deleted, and take up disk: delete them, or let aggwatch's user write in their directory",
    },
  ]);
});

test("a journal that a killed daemon left is checked, copied, and when cut short repaired", async (context) => {
  const aggregator = await startAggregator(context);
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "shadow" }), QUICK_RULES);
  const daemon = await startDaemon(context, home, ACT_KEY);
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await daemon.line(alertLine("ExchangeDisabled", "firing"));
  await daemon.end("SIGKILL");
  const data = ["--data", home.data];
  const copy = join(dirname(home.config), "copy.sqlite");
  const checked = await journal("check", ...data);
  expect(checked).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/ok$/) });
  const config = join(dirname(home.config), "other.yaml");
  writeFileSync(config, "data: data\nbase_url: of no interest here\n");
  expect(await journal("check", "--config", config)).toEqual(checked);
  const nowhere = await journal("check", "--config", `${config}x`);
  expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining("other.yamlx: ") });
  expect(await journal("info", ...data)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ {2}alert: \d+$/m),
  });
  expect(await journal("backup", copy, ...data)).toMatchObject({ code: 0, err: "" });
  expect((await journal("backup", copy, ...data)).code).toBe(1);

  // A directory that cannot be looked into, as that of another user: root may look into all but this.
  const loop = join(dirname(home.config), "loop");
  symlinkSync(loop, loop);
  for (const what of ["check", "info", "repair", "backup"]) {
    const file = what === "backup" ? [join(dirname(home.config), "never")] : [];
    expect(await journal(what, ...file, "--data", loop)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^\S+loop\/journal\.sqlite cannot be read \(ELOOP.*$/),
    });
  }

  // What a rollback meets: nothing is damaged, and a repair would make an old journal of it.
  const setSchema = (version: number): void => {
    const database = new DatabaseSync(join(home.data, "journal.sqlite"));
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  };
  setSchema(999);
  const newer = expect.stringMatching(/written by a newer aggwatch(?![^]*damaged)/);
  expect(await journal("check", ...data)).toMatchObject({ code: 1, err: newer });
  expect(await journal("repair", ...data)).toMatchObject({ code: 1, err: newer, out: "" });
  setSchema(MIGRATIONS.length);

  // The file cut in the middle, without its log: what a full disk or a bad copy leaves.
  writeFileSync(join(home.data, "journal.sqlite-wal"), "");
  truncateSync(join(home.data, "journal.sqlite"), 6_000);
  const start = await runCli(context, runArguments(home), ACT_KEY);
  expect(start).toMatchObject({ code: 1, err: expect.stringContaining("aggwatch journal repair") });
  const damaged = await journal("check", ...data);
  expect(damaged).toMatchObject({ code: 1, err: expect.stringContaining("damaged") });

  truncateSync(join(home.data, "journal.sqlite"), 0);
  const empty = await runCli(context, runArguments(home), ACT_KEY);
  expect(empty).toMatchObject({ code: 1, err: expect.stringContaining("is damaged (it is empty") });
});
