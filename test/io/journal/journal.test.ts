import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JOURNAL_FILE, openJournal, type Journal } from "../../../src/io/journal/journal.ts";
import { COMMITS_PER_PRUNING } from "../../../src/io/journal/retention.ts";
import { STATE_TABLES, type Change, type Finding } from "../../../src/domain/step.ts";
import { messageOf } from "../../../src/domain/error-message.ts";
import { rowOf } from "./row-of.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AT = Date.UTC(2026, 0, 1);

let directory: ReturnType<typeof temporaryDirectory>;
let file: string;
let opened: Journal[] = [];

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory.path, JOURNAL_FILE);
});

afterEach(() => {
  for (const journal of opened) journal.close();
  opened = [];
  directory.remove();
});

function open(): Journal {
  const journal = openJournal(directory.path);
  if (!journal.ok) throw new Error(journal.problem);
  opened.push(journal.value);
  return journal.value;
}

function close(journal: Journal): void {
  opened = opened.filter((one) => one !== journal);
  journal.close();
}

function problem(): string {
  const journal = openJournal(directory.path);
  if (!journal.ok) return journal.problem;
  journal.value.close();
  return "";
}

function killed(detail: string): Finding {
  return { type: "kill", source: "operator", on: true, detail };
}

function commit(journal: Journal, changes: readonly Change[], at = AT): void {
  expect(journal.commit({ at, changes, findings: [] })).toEqual({ ok: true, value: undefined });
}

/** Writes into the file with other means than the journal's own. */
function tamper(sql: string, ...values: string[]): void {
  const database = new DatabaseSync(file);
  database.prepare(sql).run(...values);
  database.close();
}

const sizeOf = (name: string): number => statSync(join(directory.path, name)).size;

/** The file as it is, and what else is in the directory. */
function picture(): unknown {
  return { bytes: readFileSync(file).toString("base64"), files: readdirSync(directory.path) };
}

describe("the rows", () => {
  const changes: readonly Change[] = STATE_TABLES.map((table) => ({
    table,
    key: `${table} é/"key"`,
    value: table === "counter" ? 1_767_225_600_000 : { table, deep: [1, null, { text: "日本\n" }] },
  }));

  it("can be written while they are read, and a reading can be left early", () => {
    const journal = open();
    commit(journal, changes);
    for (const row of journal.rows()) {
      expect(row.value).toBeDefined();
      break;
    }
    commit(journal, [{ table: "kill", key: "new", value: {} }]);
    expect([...journal.rows()]).toHaveLength(changes.length + 1);
  });
});

describe("a commit", () => {
  it("is a problem, and not an exception, once the journal is closed", () => {
    const journal = open();
    close(journal);
    expect(journal.commit({ at: AT, changes: [], findings: [] }).ok).toBe(false);
  });
});

describe("the history of an alert", () => {
  const KEY = 'R|bsc/exchange/A "b"';
  const entity = { aggregator: "bsc", kind: "exchange", id: 'A "b"' };
  const suppressed = (alert: string, detail: string): Finding => ({
    type: "suppressed",
    alert,
    entity,
    action: "enable_exchange",
    reason: "storm",
    detail,
  });

  it("is found in a file of before there was an index of it", () => {
    close(open());
    tamper(`DROP INDEX finding_alert; ALTER TABLE finding DROP COLUMN alert; PRAGMA user_version = 1;
      INSERT INTO finding (at, type, body) VALUES (${AT}, 'alert', 'not JSON')`);
    tamper(
      `INSERT INTO finding (at, type, body) VALUES (${AT}, 'suppressed', '${JSON.stringify(suppressed(KEY, "old"))}')`,
    );
    expect(open().historyOf(KEY, AT)).toMatchObject([{ finding: { detail: "old" } }]);
  });
});

describe("the file", () => {
  it("does not grow forever: what is dropped makes room for what comes", () => {
    const bounded = openJournal(directory.path, { mostFindings: 200 });
    if (!bounded.ok) throw new Error(bounded.problem);
    opened.push(bounded.value);
    const finding = killed("x".repeat(500));
    const sizes: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      for (let index = 0; index < COMMITS_PER_PRUNING; index += 1) {
        bounded.value.commit({ at: AT, changes: [], findings: [{ at: AT, finding }] });
      }
      sizes.push(readdirSync(directory.path).reduce((sum, name) => sum + sizeOf(name), 0));
    }
    expect(sizes.at(-1)).toBeLessThan(10_000_000);
    expect(sizes.at(-1)).toBeLessThan(1.2 * (sizes[2] ?? 0));
  });
});

describe("the log", () => {
  it("shrinks again after a large commit", () => {
    const journal = open();
    const findings = [{ at: AT, finding: killed("x".repeat(20_000_000)) }];
    expect(journal.commit({ at: AT, changes: [], findings })).toMatchObject({ ok: true });
    expect(sizeOf(`${JOURNAL_FILE}-wal`)).toBeGreaterThan(20_000_000);
    for (let after = 0; after < 2; after += 1)
      commit(journal, [{ table: "counter", key: "at", value: after }]);
    expect(sizeOf(`${JOURNAL_FILE}-wal`)).toBeLessThanOrEqual(16_000_000);
  });
});

describe("opening", () => {
  it("refuses an empty file, and one that is gone from beside its log, and leaves them", () => {
    writeFileSync(file, "");
    expect(problem()).toMatch(/is damaged \(it is empty, 0 bytes.*aggwatch journal repair --data/);
    expect(statSync(file).size).toBe(0);
    rmSync(file);
    writeFileSync(`${file}-wal`, "what was newest");
    expect(problem()).toMatch(
      /is damaged \(it is gone, and its journal\.sqlite-wal is still there/,
    );
    expect(existsSync(file)).toBe(false);
  });

  it("refuses a database that is not a journal, and leaves nothing of its own in it", () => {
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE other (x)");
    database.close();
    const before = picture();
    expect(problem()).toContain("is damaged (it is not a journal)");
    expect(picture()).toEqual(before);
    // It is no longer locked.
    tamper("DROP TABLE other");
  });

  it("makes a new journal whole or not at all: what a dead process left is cleared away", () => {
    writeFileSync(join(directory.path, `${JOURNAL_FILE}.new-abc`), "half");
    open();
    expect(readdirSync(directory.path).filter((name) => name.includes(".new-"))).toEqual([]);
  });

  // It once tried forever, deaf to signals. Only Linux has such a directory.
  it.skipIf(!existsSync("/proc/self"))("gives up where no directory can be made", () => {
    const inside = openJournal("/proc/aggwatch-data");
    expect(inside).toEqual({
      ok: false,
      problem: expect.stringContaining("/proc/aggwatch-data cannot be written"),
    });
  });

  it("makes the directory, and says so if it cannot", () => {
    writeFileSync(join(directory.path, "a file"), "");
    const inside = openJournal(join(directory.path, "a file", "data"));
    expect(inside).toEqual({ ok: false, problem: expect.stringContaining("a file is in its way") });
    const deep = openJournal(join(directory.path, "not", "yet"));
    if (!deep.ok) throw new Error(deep.problem);
    deep.value.close();
    expect(statSync(join(directory.path, "not", "yet", JOURNAL_FILE)).isFile()).toBe(true);
  });

  it("refuses a file of a newer aggwatch, and leaves it as it is", () => {
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE other (x); PRAGMA user_version = 99");
    database.close();
    const before = picture();
    expect(problem()).toContain("newer aggwatch (schema 99; this one knows 3)");
    expect(picture()).toEqual(before);
  });

  it("refuses a file that is not a database, and leaves it as it is", () => {
    writeFileSync(file, "this is not a database\n".repeat(500));
    const before = picture();
    expect(problem()).toContain(`${file} is damaged (file is not a database)`);
    expect(picture()).toEqual(before);
  });

  it("refuses a truncated file, and leaves it as it is", () => {
    const journal = open();
    const value = { text: "x".repeat(100_000) };
    commit(journal, [{ table: "entity", key: "large", value }]);
    close(journal);
    truncateSync(file, 8_192);
    const before = picture();
    expect(problem()).toMatch(/is damaged \(.*Keep a copy of it/);
    expect(picture()).toEqual(before);
  });

  it.each([
    ["entity", "{ not JSON", "not JSON"],
    ["entity", "null", "not an object"],
    ["counter", '"9"', "not a number"],
  ] as const)("gives no row of %s that says %s", (table, text, why) => {
    close(open());
    tamper("INSERT INTO state (name, key, value) VALUES (?, 'the key', ?)", table, text);
    const journal = open();
    const said = `${file} is damaged (the row ${table} the key: ${why}`;
    expect(() => [...journal.rows()]).toThrow(said);
    expect(() => rowOf(journal, table, "the key")).toThrow(said);
  });

  it("says that it is damaged if the file is so where its rows are", () => {
    const journal = open();
    const value = { text: "x".repeat(100_000) };
    commit(journal, [{ table: "entity", key: "large", value }]);
    close(journal);
    const pages = readFileSync(file);
    writeFileSync(file, pages.fill(0xff, pages.length - 4_096));
    const damaged = open();
    let thrown: unknown;
    try {
      [...damaged.rows()].at(0);
    } catch (error) {
      thrown = error;
    }
    // As a start prints it: the cause once.
    expect(messageOf(thrown)).toMatch(
      /is damaged \(.+\)\. Keep a copy of it.* past alerts and remediations\.$/,
    );
  });

  it("passes over a table of state that it does not know, and keeps its rows", () => {
    close(open());
    tamper("INSERT INTO state (name, key, value) VALUES ('of a later version', 'a', ?)", "{}");
    const journal = open();
    expect([...journal.rows()]).toEqual([]);
    close(journal);
    const database = new DatabaseSync(file);
    expect(database.prepare("SELECT count(*) AS rows FROM state").get()?.["rows"]).toBe(1);
    database.close();
  });

  it("refuses a second opening in the same process too", () => {
    open();
    expect(problem()).toContain("in use by another aggwatch");
  });
});
