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
import {
  COMMITS_PER_PRUNING,
  FINDING_RETENTION,
  JOURNAL_FILE,
  openJournal,
  type Journal,
} from "../../../src/io/journal/journal.ts";
import { STATE_TABLES, type Change, type Finding } from "../../../src/domain/step.ts";
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

  it("come back as committed, of every table, in this process and in the next", () => {
    const journal = open();
    commit(journal, changes);
    expect([...journal.rows()]).toEqual(expect.arrayContaining([...changes]));
    expect([...journal.rows()]).toHaveLength(changes.length);
    close(journal);
    const again = open();
    expect([...again.rows()]).toHaveLength(changes.length);
    for (const { table, key, value } of changes) expect(again.row(table, key)).toEqual(value);
  });

  it("are updated and deleted by their table and key", () => {
    const journal = open();
    commit(journal, [
      { table: "entity", key: "a", value: { n: 1 } },
      { table: "entity", key: "b", value: { n: 1 } },
      { table: "alert", key: "a", value: { n: 1 } },
    ]);
    commit(journal, [
      { table: "entity", key: "a", value: { n: 2 } },
      { table: "entity", key: "b", value: undefined },
      { table: "entity", key: "never there", value: undefined },
    ]);
    expect([...journal.rows()]).toEqual([
      { table: "alert", key: "a", value: { n: 1 } },
      { table: "entity", key: "a", value: { n: 2 } },
    ]);
    expect(journal.row("entity", "b")).toBeUndefined();
  });

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
  it("is all or nothing, says why it failed, and the next one works again", () => {
    const journal = open();
    const changes: Change[] = [
      { table: "entity", key: "half", value: {} },
      { table: "counter", key: "at", value: 1 },
    ];
    // The table is STRICT: an instant with a fraction is refused, after the rows were written.
    const failed = journal.commit({
      at: AT,
      changes,
      findings: [{ at: AT + 0.5, finding: killed("half") }],
    });
    expect(failed).toEqual({ ok: false, problem: expect.stringContaining("finding.at") });
    expect([...journal.rows()]).toEqual([]);
    expect(journal.findings(10)).toEqual([]);
    commit(journal, changes);
    expect([...journal.rows()]).toHaveLength(2);
  });

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

  it("is what was found about it and no other, up to an instant, newest first", () => {
    const journal = open();
    const found: Array<readonly [number, Finding]> = [
      [AT, suppressed(KEY, "first")],
      [AT, suppressed(`${KEY}x`, "of another")],
      [AT + 1, suppressed(KEY, "second")],
      [AT + 1, suppressed("other", `it only speaks of ${JSON.stringify(KEY)}`)],
      [AT + 1, killed(KEY)],
      [AT + 2, suppressed(KEY, "later")],
    ];
    const findings = found.map(([at, finding]) => ({ at, finding }));
    expect(journal.commit({ at: AT, changes: [], findings }).ok).toBe(true);
    expect(journal.historyOf(KEY, AT + 1)).toEqual([findings[2], findings[0]]);
    expect(journal.historyOf(KEY, AT - 1)).toEqual([]);
  });

  it("goes along with the orders of its time, newest first, and nothing else", () => {
    const journal = open();
    expect(journal.reachesBackTo()).toBeUndefined();
    const found: Array<readonly [number, Finding]> = [
      [AT, killed("before")],
      [AT + 1, killed("first")],
      [AT + 1, suppressed(KEY, "no order")],
      [AT + 2, killed("second")],
      [AT + 3, killed("after")],
    ];
    const findings = found.map(([at, finding]) => ({ at, finding }));
    expect(journal.commit({ at: AT, changes: [], findings }).ok).toBe(true);
    expect(journal.orders(AT + 1, AT + 2)).toEqual([findings[3], findings[1]]);
    expect(journal.reachesBackTo()).toBe(AT);
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

describe("the findings", () => {
  const found = (journal: Journal, limit = 10) =>
    journal
      .findings(limit)
      .map(({ at, finding }) => [at - AT, finding.type === "kill" ? finding.detail : ""]);

  it("come newest first, each with its own instant, as many as are asked for", () => {
    const journal = open();
    const findings = [
      { at: AT, finding: killed("first") },
      { at: AT + 1, finding: killed("second") },
    ];
    expect(journal.commit({ at: AT + 9, changes: [], findings }).ok).toBe(true);
    expect(found(journal)).toEqual([
      [1, "second"],
      [0, "first"],
    ]);
    expect(found(journal, 1)).toEqual([[1, "second"]]);
  });

  it("are dropped when they are too old", () => {
    const journal = open();
    const later = AT + FINDING_RETENTION;
    journal.commit({
      at: AT,
      changes: [],
      findings: [
        { at: AT, finding: killed("old") },
        { at: AT + 1, finding: killed("just not") },
      ],
    });
    for (let index = 0; index < COMMITS_PER_PRUNING; index += 1) commit(journal, [], later + 1);
    expect(found(journal)).toEqual([[1, "just not"]]);
  });

  it("are dropped, the oldest first, when they are too many", () => {
    const journal = open();
    for (let index = 0; index < COMMITS_PER_PRUNING; index += 1) {
      const finding = killed(String(index));
      journal.commit({ at: AT, changes: [], findings: [{ at: AT, finding }] });
    }
    expect(journal.findings(1_000)).toHaveLength(COMMITS_PER_PRUNING);
    close(journal);
    const bounded = openJournal(directory.path, { mostFindings: 20 });
    if (!bounded.ok) throw new Error(bounded.problem);
    opened.push(bounded.value);
    for (let index = 0; index < COMMITS_PER_PRUNING; index += 1) commit(bounded.value, []);
    expect(bounded.value.findings(1_000)).toHaveLength(20);
    expect(found(bounded.value, 1)).toEqual([[0, String(COMMITS_PER_PRUNING - 1)]]);
  });
});

describe("the file", () => {
  it("does not grow for ever: what is dropped makes room for what comes", () => {
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

  it("refuses a database that is no journal, and leaves nothing of its own in it", () => {
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE other (x)");
    database.close();
    const before = picture();
    expect(problem()).toContain("is damaged (it is no journal)");
    expect(picture()).toEqual(before);
  });

  it("makes a new journal whole or not at all: what a dead process left is cleared away", () => {
    writeFileSync(join(directory.path, `${JOURNAL_FILE}.new-abc`), "half");
    open();
    expect(readdirSync(directory.path).filter((name) => name.includes(".new-"))).toEqual([]);
  });

  // It once tried for ever, deaf to signals. Only Linux has such a directory.
  it.skipIf(!existsSync("/proc/self"))("gives up where no directory can be made", () => {
    const inside = openJournal("/proc/aggwatch-data");
    expect(inside).toEqual({
      ok: false,
      problem: expect.stringContaining("/proc/aggwatch-data cannot be written"),
    });
  });

  it("makes the directory, and says so where it cannot", () => {
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
  ])("refuses a row of %s that says %s", (table, text, why) => {
    close(open());
    tamper("INSERT INTO state (name, key, value) VALUES (?, 'the key', ?)", table, text);
    const said = problem();
    expect(said).toContain(`is damaged (the row ${table} the key: ${why}`);
    expect(said).toContain(file);
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
