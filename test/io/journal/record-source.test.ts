import { toEnd } from "../../../src/domain/slices.ts";
import { HOME } from "../../../src/domain/lease.ts";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY } from "../../../src/domain/time.ts";
import {
  JOURNAL_FILE,
  journalOf,
  openJournal,
  type Journal,
} from "../../../src/io/journal/journal.ts";
import { isComplete } from "../../../src/io/journal/large-commit.ts";
import { COMMITS_PER_PRUNING } from "../../../src/io/journal/retention.ts";
import { salvageJournal } from "../../../src/io/journal/salvage/salvage.ts";
import { checkJournal, copyJournal } from "../../../src/io/journal/tools.ts";
import { packPage, pagesOf, unpackPage, type Page } from "../../../src/io/journal/record-pages.ts";
import { withRecord } from "./with-record.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  room = temporaryDirectory();
});
afterEach(() => room.remove());

const page = (at: number, whole = false, body = "[]"): Page => ({ at, until: at + 1, whole, body });

function write(journal: Journal, pages: readonly Page[]): void {
  for (const one of pages) {
    const done = journal.commit({ at: one.at, changes: [], findings: [], pages: [one] });
    if (!done.ok) throw new Error(done.problem);
  }
}

function opened(record?: { retentionMs: number; maxBytes: number }): Journal {
  const journal = openJournal(room.path, record === undefined ? {} : { record });
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

/** The instants of the pages that are there. */
function instants(path: string, from = 0): readonly number[] {
  const read = withRecord(path, (source) => ({
    ok: true,
    value: [...source.pages(from, HOME)].map((one) => ("at" in one ? one.at : Number.NaN)),
  }));
  if (!read.ok) throw new Error(read.problem);
  return read.value;
}

describe("the record in the journal", () => {
  it("is read from the chapter that was under way at an instant", () => {
    const journal = opened();
    write(journal, [page(1, true), page(2), page(5, true), page(6), page(9, true)]);
    journal.close();
    expect(instants(room.path)).toEqual([1, 2, 5, 6, 9]);
    expect(instants(room.path, 6)).toEqual([5, 6, 9]);
  });

  it("keeps whole chapters, as many as cover the retention", () => {
    const journal = opened({ retentionMs: 2 * DAY, maxBytes: 1_000_000 });
    for (let day = 1; day <= 6; day += 1)
      write(journal, [page(day * DAY, true), page(day * DAY + 1)]);
    for (let commit = 12; commit < COMMITS_PER_PRUNING; commit += 1) {
      journal.commit({ at: 6 * DAY + 5, changes: [], findings: [] });
    }
    journal.close();
    expect(instants(room.path).map((at) => Math.floor(at / DAY))).toEqual([4, 4, 5, 5, 6, 6]);
  });

  it("keeps no more than its size, except for the chapter under way", () => {
    const journal = opened({ retentionMs: 30 * DAY, maxBytes: 250 });
    const large = JSON.stringify("x".repeat(90));
    for (let day = 1; day <= 6; day += 1) write(journal, [page(day * DAY, true, `[${large}]`)]);
    for (let commit = 6; commit < COMMITS_PER_PRUNING; commit += 1) {
      journal.commit({ at: 6 * DAY + 5, changes: [], findings: [] });
    }
    journal.close();
    expect(instants(room.path).map((at) => at / DAY)).toEqual([5, 6]);
  });

  it("is the same text when it was deflated", () => {
    for (const body of ["[]", `[${"1,".repeat(500)}1]`])
      expect(unpackPage(packPage(body))).toBe(body);
    expect(packPage(`[${"1,".repeat(500)}1]`).length).toBeLessThan(100);
  });

  it("cannot be read while a daemon has it, and says to ask that for a copy", () => {
    const journal = opened();
    write(journal, [page(1, true)]);
    const refused = withRecord(room.path, () => ({ ok: true, value: undefined }));
    expect(refused).toMatchObject({ problem: expect.stringContaining("journal backup --url") });
    const made = journal.backUp(5);
    if (!made.ok) throw new Error(made.problem);
    expect(instants(made.value.file)).toEqual([1]);
    journal.close();
  });

  it("says of a journal without a record that there is none", () => {
    opened().close();
    expect(withRecord(room.path, () => ({ ok: true, value: 1 }))).toMatchObject({
      problem: expect.stringContaining("holds no record yet"),
    });
    const old = join(room.path, "old.sqlite");
    copyFileSync(join(import.meta.dirname, "../../fixtures/journal-schema-2.sqlite"), old);
    expect(withRecord(old, () => ({ ok: true, value: 1 }))).toMatchObject({
      problem: expect.stringContaining("is of schema 2, which keeps no record"),
    });
  });

  it("has the instants of all units, and gives the pages of one alone", () => {
    opened().close();
    const database = new DatabaseSync(join(room.path, JOURNAL_FILE));
    const add = database.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?)");
    for (const [unit, at] of [
      [HOME, 5],
      ["senders/1", 3],
      ["senders/2", 9],
    ] as const)
      for (const number of [1, 2])
        add.run(pagesOf(unit)[0] + number - 1, at * number, at * number, 1, packPage("[]"));
    database.close();
    const read = withRecord(room.path, ({ units, firstAt, lastAt, pages }) => {
      const instantsOf = (unit: string) => [...pages(6, unit)].map((one) => "at" in one && one.at);
      return { ok: true, value: { units, firstAt, lastAt, instants: units.map(instantsOf) } };
    });
    expect(read).toEqual({
      ok: true,
      value: {
        units: [HOME, "senders/1", "senders/2"],
        firstAt: 3,
        lastAt: 18,
        instants: [[5, 10], [6], [9, 18]],
      },
    });
  });

  it("has the pages of a commit that waits to be brought in", () => {
    opened().close();
    const database = new DatabaseSync(join(room.path, JOURNAL_FILE));
    const journal = journalOf(database, room.path, { rowsAtOnce: () => 0 });
    const changes = [{ table: "counter", key: "at", value: 3 }] as const;
    const pages = [page(1, true), page(3)];
    const work = journal.commitInSlices({ at: 3, changes, findings: [], pages });
    while (!isComplete(database) && work.next().done !== true);
    journal.close();
    expect(instants(room.path)).toEqual([1, 3]);
    const backup = join(room.path, "backup.sqlite");
    expect(toEnd(copyJournal(room.path, backup))).toMatchObject({ ok: true });
    expect(instants(backup)).toEqual([1, 3]);
    expect(toEnd(checkJournal(room.path))).toMatchObject({ value: { info: { lastAt: 3 } } });
    expect(toEnd(salvageJournal(room.path, 3))).toMatchObject({ value: { rows: 1, lost: [] } });
  });

  it.for([
    ["PRAGMA user_version = 0", "is not a journal of aggwatch"],
    ["PRAGMA user_version = 99", "was written by a newer aggwatch (schema 99"],
  ])("is not looked for in a file after %s", ([sql, why]) => {
    opened().close();
    const file = join(room.path, JOURNAL_FILE);
    const database = new DatabaseSync(file);
    database.exec(sql ?? "");
    database.close();
    for (const path of [room.path, file])
      expect(withRecord(path, () => ({ ok: true, value: 1 }))).toMatchObject({
        problem: expect.stringContaining(`${file} ${why}`),
      });
  });

  it("is not looked for where nothing is", () => {
    const path = join(room.path, "nothing");
    expect(withRecord(path, () => ({ ok: true, value: 1 }))).toEqual({
      ok: false,
      problem: `${path} is not there: give a data directory or a backup file`,
    });
  });

  it("is looked at by check, and saved by repair", () => {
    const journal = opened();
    write(journal, [page(1, true), page(2), page(3, true)]);
    journal.commit({ at: 3, changes: [{ table: "counter", key: "at", value: 3 }], findings: [] });
    journal.close();
    const database = new DatabaseSync(join(room.path, JOURNAL_FILE));
    database.exec("UPDATE record SET body = x'00ff' WHERE seq = 2");
    database.close();
    expect(toEnd(checkJournal(room.path))).toMatchObject({
      value: { problems: [expect.stringMatching(/^page 2 of the record: /)] },
    });
    const saved = toEnd(salvageJournal(room.path, 10));
    if (!saved.ok) throw new Error(saved.problem);
    expect(saved.value.lost).toEqual([expect.stringMatching(/^page 2 of the record: /)]);
    expect(instants(saved.value.file)).toEqual([1, 3]);
  });
});
