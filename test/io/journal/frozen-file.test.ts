/** Tests src/io/journal/write-ahead-log.ts: the file while something else reads it. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { JOURNAL_FILE, journalOf, openJournal } from "../../../src/io/journal/journal.ts";
import { migrate } from "../../../src/io/journal/schema.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AT = Date.UTC(2026, 0, 1);

const withDetail = (length: number) => {
  const finding = {
    type: "kill",
    source: "operator",
    on: true,
    detail: "x".repeat(length),
  } as const;
  return { at: AT, changes: [], findings: [{ at: AT, finding }] };
};

test("A frozen file holds all that was committed, and does not change until it is thawed", (context) => {
  const room = temporaryDirectory();
  const opened = openJournal(room.path);
  if (!opened.ok) throw new Error(opened.problem);
  const journal = opened.value;
  context.onTestFinished(() => {
    journal.close();
    room.remove();
  });
  const file = join(room.path, JOURNAL_FILE);
  const commit = (count: number): void => {
    for (let done = 0; done < count; done += 1)
      expect(journal.commit(withDetail(100_000))).toMatchObject({ ok: true });
  };
  commit(1);
  expect(readFileSync(file).includes("x".repeat(3_000))).toBe(false);
  expect(journal.freezeFile()).toMatchObject({ ok: true });
  const frozen = readFileSync(file);
  expect(frozen.includes("x".repeat(3_000))).toBe(true);
  expect(statSync(`${file}-wal`).size).toBe(0);
  commit(80);
  expect(readFileSync(file).equals(frozen)).toBe(true);
  journal.thawFile();
  commit(1);
  expect(statSync(file).size).toBeGreaterThan(80 * 100_000);
});

test("A file whose log is being read is not frozen, and still takes what is committed afterwards", (context) => {
  const room = temporaryDirectory();
  const file = join(room.path, JOURNAL_FILE);
  const [database, reader] = [new DatabaseSync(file), new DatabaseSync(file)];
  context.onTestFinished(() => {
    for (const one of [reader, database]) one.close();
    room.remove();
  });
  database.exec("PRAGMA journal_mode = WAL");
  migrate(database);
  const journal = journalOf(database, room.path, {});
  reader.exec("BEGIN");
  reader.prepare("SELECT * FROM state").all();
  expect(journal.commit(withDetail(1))).toMatchObject({ ok: true });
  expect(journal.freezeFile()).toEqual({
    ok: false,
    problem: "its write-ahead log is being read",
  });
  reader.exec("COMMIT");
  expect(journal.commit(withDetail(5_000_000))).toMatchObject({ ok: true });
  expect(statSync(file).size).toBeGreaterThan(5_000_000);
});
