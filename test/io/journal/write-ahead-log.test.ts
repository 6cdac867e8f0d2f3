import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { describe, expect, test, type TestContext } from "vitest";
import { toEnd } from "../../../src/domain/slices.ts";
import { JOURNAL_FILE, journalOf, type JournalRecord } from "../../../src/io/journal/journal.ts";
import { isComplete } from "../../../src/io/journal/large-commit.ts";
import { migrate } from "../../../src/io/journal/schema.ts";
import { MOST_UNSYNCED } from "../../../src/io/journal/write-ahead-log.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AT = Date.UTC(2026, 0, 1);

/** A file in WAL mode that says of each transaction whether it waited for the disk, and whose disk can fail. */
class Disk extends DatabaseSync {
  isBroken = false;
  broughtIn = 0;

  override prepare(sql: string): StatementSync {
    const bringsIn = sql.includes("wal_checkpoint");
    if (this.isBroken && bringsIn) throw new Error("disk I/O error");
    if (bringsIn) this.broughtIn += 1;
    return super.prepare(sql);
  }

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
    const waited = [...disk.waited.entries()].flatMap(([index, waits]) => (waits ? [index] : []));
    expect(waited).toEqual([MOST_UNSYNCED, 2 * MOST_UNSYNCED + 1]);
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

  test("is brought into the file by what makes it safe, too, and only once the disk lets it be", (context) => {
    const { disk, journal, logLength } = journalOnDisk(context);
    journal.commit({ ...storm("a"), unsynced: true });
    disk.isBroken = true;
    expect(journal.sync()).toMatchObject({ ok: false });
    expect(journal.commit(storm("b"))).toMatchObject({ ok: false });
    disk.isBroken = false;
    const before = logLength();
    expect(journal.sync()).toMatchObject({ ok: true });
    expect(logLength()).toBeLessThan(before);
    expect([...journal.rows()].map(({ key }) => key)).toEqual(["a"]);
  });

  test("holds up nothing once it is in the file, whatever else fails", (context) => {
    const { disk, journal } = journalOnDisk(context);
    // No instant has a fraction.
    const refused = { ...storm("b"), findings: [{ at: AT + 0.5, finding: { type: "storm" } }] };
    journal.commit({ ...storm("a"), unsynced: true });
    disk.isBroken = true;
    expect(journal.sync()).toMatchObject({ ok: false });
    disk.isBroken = false;
    expect(journal.commit(refused as never)).toMatchObject({ ok: false });
    expect(journal.freezeFile()).toMatchObject({ ok: true });
    expect(journal.commit(storm("c"))).toMatchObject({ ok: true });
    expect(journal.commit(refused as never)).toMatchObject({ ok: false });
    expect(journal.commit(storm("d"))).toMatchObject({ ok: true });
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

  test("is brought into the file again if the disk fails again as it ends", (context) => {
    const { disk, journal } = journalOnDisk(context);
    const work = journal.commitInSlices(large);
    while (!isComplete(disk) && work.next().done !== true);
    disk.isBroken = true;
    expect(toEnd(work)).toMatchObject({ ok: true });
    Object.assign(disk, { isBroken: false, waitsLeft: 0, broughtIn: 0 });
    expect(journal.commit(storm("b"))).toMatchObject({ ok: false });
    disk.waitsLeft = Infinity;
    expect(journal.commit(storm("b"))).toMatchObject({ ok: true });
    expect(disk.broughtIn).toBe(2);
    expect([...journal.rows()].map(({ key }) => key)).toEqual(["b", ...LARGE_KEYS]);
  });

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
