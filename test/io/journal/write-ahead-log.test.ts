import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, type TestContext } from "vitest";
import {
  JOURNAL_FILE,
  journalOf,
  openJournal,
  type JournalRecord,
} from "../../../src/io/journal/journal.ts";
import { migrate } from "../../../src/io/journal/schema.ts";
import { MOST_UNSYNCED } from "../../../src/io/journal/write-ahead-log.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AT = Date.UTC(2026, 0, 1);

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
    const detail = "x".repeat(100_000);
    for (let done = 0; done < count; done += 1) {
      const finding = { type: "kill", source: "operator", on: true, detail } as const;
      const findings = [{ at: AT, finding }];
      expect(journal.commit({ at: AT, changes: [], findings })).toMatchObject({ ok: true });
    }
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

/** A file in WAL mode that says of each transaction whether it waited for the disk, and whose disk can fail. */
class Disk extends DatabaseSync {
  isBroken = false;
  /** So many more transactions can wait for it. */
  waitsLeft = Infinity;
  readonly waited: boolean[] = [];

  override exec(sql: string): void {
    if (sql === "COMMIT") {
      const waits = this.prepare("PRAGMA synchronous").get()?.["synchronous"] === 2;
      if (this.isBroken || (waits && this.waitsLeft <= 0)) throw new Error("disk I/O error");
      if (waits) this.waitsLeft -= 1;
      this.waited.push(waits);
    }
    super.exec(sql);
  }
}

function journalOnDisk({ onTestFinished }: TestContext) {
  const room = temporaryDirectory();
  const file = join(room.path, JOURNAL_FILE);
  const disk = new Disk(file);
  disk.exec(
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
  );
  migrate(disk);
  disk.waited.length = 0;
  onTestFinished(() => {
    disk.close();
    room.remove();
  });
  const logLength = (): number => statSync(`${file}-wal`).size;
  return { disk, journal: journalOf(disk, room.path, { rowsAtOnce: () => 3 }), logLength };
}

const storm = (key: string): JournalRecord => ({
  at: AT,
  changes: [{ table: "storm", key, value: [] }],
  findings: [],
});

describe("What is committed unsynced", () => {
  test("does not wait for the disk, as all else does", (context) => {
    const { disk, journal } = journalOnDisk(context);
    expect(journal.commit({ ...storm("a"), unsynced: true })).toMatchObject({ ok: true });
    expect(journal.commit(storm("b"))).toMatchObject({ ok: true });
    expect(disk.waited).toEqual([false, true]);
  });

  test("is made safe by a transaction that writes something and waits, and only if there is any", (context) => {
    const { disk, journal, logLength } = journalOnDisk(context);
    journal.commit({ ...storm("a"), unsynced: true });
    const before = logLength();
    expect(journal.sync()).toMatchObject({ ok: true });
    expect(disk.waited).toEqual([false, true]);
    expect(logLength()).toBeGreaterThan(before);
    expect(journal.sync()).toMatchObject({ ok: true });
    expect(disk.waited).toHaveLength(2);
  });

  test("waits after so many as the log may lack pages of after a loss of power", (context) => {
    const { disk, journal } = journalOnDisk(context);
    for (let count = 0; count < 2 * MOST_UNSYNCED + 2; count += 1)
      journal.commit({ ...storm("a"), unsynced: true });
    expect(disk.waited.lastIndexOf(true)).toBe(2 * MOST_UNSYNCED + 1);
    expect(disk.waited.indexOf(true)).toBe(MOST_UNSYNCED);
  });

  test("is brought into the file after a disk that failed, before anything else is written", (context) => {
    const { disk, journal, logLength } = journalOnDisk(context);
    journal.commit({ ...storm("a"), unsynced: true });
    disk.isBroken = true;
    expect(journal.sync()).toMatchObject({ ok: false, problem: "disk I/O error" });
    disk.isBroken = false;
    const before = logLength();
    expect(journal.commit(storm("b"))).toMatchObject({ ok: true });
    expect(logLength()).toBeLessThan(before);
    expect([...journal.rows()].map(({ key }) => key)).toEqual(["a", "b"]);
  });

  test("waits for that while the file must not change, and nothing is written meanwhile", (context) => {
    const { disk, journal } = journalOnDisk(context);
    expect(journal.freezeFile()).toMatchObject({ ok: true });
    journal.commit({ ...storm("a"), unsynced: true });
    disk.isBroken = true;
    expect(journal.commit(storm("b"))).toMatchObject({ ok: false });
    disk.isBroken = false;
    expect(journal.commit(storm("b"))).toMatchObject({
      ok: false,
      problem: expect.stringContaining("is being read"),
    });
    journal.thawFile();
    expect(journal.commit(storm("b"))).toMatchObject({ ok: true });
    expect([...journal.rows()].map(({ key }) => key)).toEqual(["a", "b"]);
  });
});

describe("A large commit, most of which is unsynced,", () => {
  const large: JournalRecord = {
    at: AT,
    changes: ["k1", "k2", "k3", "k4"].flatMap((key) => storm(key).changes),
    findings: [],
  };
  const LARGE_KEYS = ["k1", "k2", "k3", "k4"];

  // The first transaction that waits makes its table, the second marks it as complete, the third is its end.
  test.for([
    ["is to be complete", 1, false, []],
    ["is to end", 2, true, LARGE_KEYS],
  ] as const)(
    "is brought into the file if the disk failed when it %s, before anything else is written",
    ([, waitsLeft, ok, found], context) => {
      const { disk, journal, logLength } = journalOnDisk(context);
      disk.waitsLeft = waitsLeft;
      expect(journal.commit(large)).toMatchObject({ ok });
      disk.waitsLeft = Infinity;
      const before = logLength();
      expect(journal.commit(storm("b"))).toMatchObject({ ok: true });
      expect(logLength()).toBeLessThan(before);
      expect([...journal.rows()].map(({ key }) => key)).toEqual(["b", ...found]);
    },
  );

  test("waits for that while the file must not change, however often something is to be written", (context) => {
    const { disk, journal } = journalOnDisk(context);
    expect(journal.freezeFile()).toMatchObject({ ok: true });
    disk.waitsLeft = 2;
    expect(journal.commit(large)).toMatchObject({ ok: true });
    disk.waitsLeft = Infinity;
    const isRead = { ok: false, problem: expect.stringContaining("is being read") };
    expect(journal.commit(storm("b"))).toMatchObject(isRead);
    expect(journal.commit(storm("b"))).toMatchObject(isRead);
    journal.thawFile();
    expect(journal.commit(storm("b"))).toMatchObject({ ok: true });
    expect([...journal.rows()].map(({ key }) => key)).toEqual(["b", ...LARGE_KEYS]);
  });
});
