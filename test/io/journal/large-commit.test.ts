import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/domain/step.ts";
import { toEnd } from "../../../src/domain/slices.ts";
import { versionOf } from "../../../src/io/journal/database.ts";
import { journalOf, type JournalRecord } from "../../../src/io/journal/journal.ts";
import { isComplete, recoverLargeCommit } from "../../../src/io/journal/large-commit.ts";
import { readPages } from "../../../src/io/journal/record-pages.ts";
import { migrate, MIGRATIONS, newerSchema } from "../../../src/io/journal/schema.ts";

const AT = 1_000;

/** A disk on which so many transactions end as they should, and no more. */
class Disk extends DatabaseSync {
  left = Infinity;
  /** What fails then is on the disk all the same. */
  isApplied = false;

  /** Of each transaction that has ended: whether it waited for the disk, and whether the large one was complete then. */
  readonly ended: Array<{ readonly isSynced: boolean; readonly isComplete: boolean }> = [];

  override exec(sql: string): void {
    if (sql === "COMMIT") {
      const { synchronous } = this.prepare("PRAGMA synchronous").get() as { synchronous: number };
      this.ended.push({ isSynced: synchronous === 2, isComplete: isComplete(this) });
    }
    if (sql === "COMMIT" && this.left <= 0) {
      if (this.isApplied) super.exec(sql);
      throw new Error("database or disk is full");
    }
    if (sql === "COMMIT") this.left -= 1;
    super.exec(sql);
  }
}

const journalOn = (database: DatabaseSync) => journalOf(database, "", { rowsAtOnce: () => 3 });

/** As the next process finds it. */
function reopened(disk: Disk) {
  if (disk.isTransaction) disk.exec("ROLLBACK");
  disk.left = Infinity;
  recoverLargeCommit(disk);
  const journal = journalOn(disk);
  expect(versionOf(disk)).toBe(MIGRATIONS.length);
  return { journal, ...contentOf(disk) };
}

function contentOf(disk: Disk) {
  const journal = journalOn(disk);
  return {
    rows: Object.fromEntries([...journal.rows()].map(({ key, value }) => [key, value])),
    findings: journal.findings(100).map(({ at }) => at),
    pages: [...readPages(disk, 0)].map((page) => ("problem" in page ? page.problem : page.body)),
  };
}

const BEFORE: JournalRecord = {
  at: AT,
  changes: [
    { table: "storm", key: "kept", value: ["a"] },
    { table: "storm", key: "gone", value: ["b"] },
  ],
  findings: [],
};

/** So long that it takes several parts. */
const LONG = "x".repeat(200_000);
const CHANGES: Change[] = Array.from({ length: 12 }, (_, index) => ({
  table: "storm",
  key: `k${index}`,
  value: [`${LONG}${index}`],
}));
const LARGE: JournalRecord = {
  at: AT,
  changes: [...CHANGES, { table: "storm", key: "gone", value: undefined }],
  findings: [1, 2, 3].map((at) => ({
    at,
    finding: { type: "kill", source: "operator", on: true, detail: "d" },
  })),
  pages: [{ at: AT, until: AT, whole: true, body: "[1]" }],
};

const AS_BEFORE = { rows: { kept: ["a"], gone: ["b"] }, findings: [], pages: [] };
const AFTERWARDS = {
  rows: { kept: ["a"], ...Object.fromEntries(CHANGES.map(({ key, value }) => [key, value])) },
  findings: [3, 2, 1],
  pages: ["[1]"],
};

function made(): Disk {
  const disk = new Disk(":memory:");
  migrate(disk);
  expect(journalOn(disk).commit(BEFORE).ok).toBe(true);
  return disk;
}

describe("a large commit", () => {
  it("is all there after it, as a small one is, in transactions of which none is large", () => {
    const disk = made();
    disk.left = 1_000;
    expect(journalOn(disk).commit(LARGE)).toEqual({ ok: true, value: undefined });
    expect(contentOf(disk)).toEqual(AFTERWARDS);
    expect(1_000 - disk.left).toBeGreaterThan(8);
    expect(versionOf(disk)).toBe(MIGRATIONS.length);
    disk.close();
  });

  it("is there as a whole or not at all, whichever slice its process dies after", () => {
    let slices = 0;
    const outcomes = new Set<string>();
    for (let isOver = false; !isOver; slices += 1) {
      const disk = made();
      const work = journalOn(disk).commitInSlices(LARGE);
      for (let done = 0; done < slices && !isOver; done += 1) isOver = work.next().done === true;
      const { journal: _, ...found } = reopened(disk);
      const isIn = Object.hasOwn(found.rows, "k0");
      outcomes.add(isIn ? "all" : "nothing");
      expect(found).toEqual(isIn ? AFTERWARDS : AS_BEFORE);
      disk.close();
    }
    expect(slices).toBeGreaterThan(12);
    expect([...outcomes]).toEqual(["nothing", "all"]);
  });

  it("waits for the disk when it is complete, and not oftener for being larger", () => {
    const waits = [1, 3].map((times) => {
      const disk = made();
      disk.ended.length = 0;
      const changes = Array.from({ length: times }, (_, time) =>
        LARGE.changes.map((change) => ({ ...change, key: `${time} ${change.key}` })),
      ).flat();
      expect(journalOn(disk).commit({ ...LARGE, changes }).ok).toBe(true);
      expect(disk.ended.find((one) => one.isComplete)?.isSynced).toBe(true);
      expect(disk.ended.at(-1)?.isSynced).toBe(true);
      return disk.ended.filter(({ isSynced }) => isSynced).length;
    });
    expect(waits[0]).toBe(waits[1]);
  });

  it("leaves what comes after a full disk waiting for the disk", () => {
    const disk = made();
    disk.left = 2;
    expect(journalOn(disk).commit(LARGE).ok).toBe(false);
    expect(disk.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  });

  it("is there as a whole or not at all, wherever the disk is full, and what comes later is in order", () => {
    const times = fc.integer({ min: 0, max: 16 });
    fc.assert(
      fc.property(times, fc.boolean(), fc.boolean(), (left, isApplied, diesThen) => {
        const disk = made();
        Object.assign(disk, { left, isApplied });
        let journal = journalOn(disk);
        const { ok } = journal.commit(LARGE);
        disk.left = Infinity;
        if (diesThen) ({ journal } = reopened(disk));
        const later: Change = { table: "storm", key: "k3", value: ["later"] };
        expect(journal.commit({ at: AT, changes: [later], findings: [] }).ok).toBe(true);
        const found = contentOf(disk);
        const isIn = Object.hasOwn(found.rows, "k0");
        if (ok) expect(isIn).toBe(true);
        const wanted = isIn ? AFTERWARDS : AS_BEFORE;
        expect(found).toEqual({ ...wanted, rows: { ...wanted.rows, k3: ["later"] } });
        expect(versionOf(disk)).toBe(MIGRATIONS.length);
        disk.close();
      }),
      { numRuns: 100 },
    );
  });

  it.for([
    ["whole", Infinity],
    ["cut off", 3],
  ] as const)("that is %s keeps no later process from opening a full disk", ([, left]) => {
    const disk = made();
    disk.left = left;
    journalOn(disk).commit(LARGE);
    disk.left = Infinity;
    expect(isComplete(disk)).toBe(false);
    // Whatever it would write fails.
    disk.exec("PRAGMA query_only = ON");
    expect(recoverLargeCommit(disk)).toEqual({ ok: true, value: undefined });
    expect([...journalOn(disk).rows()]).not.toEqual([]);
    disk.exec("PRAGMA query_only = OFF");
    expect(recoverLargeCommit(disk)).toEqual({ ok: true, value: undefined });
    expect(disk.prepare("SELECT count(*) AS parts FROM large_commit").get()).toEqual({ parts: 0 });
    expect(journalOn(disk).commit(LARGE).ok).toBe(true);
    expect(contentOf(disk).rows).toEqual(AFTERWARDS.rows);
    disk.close();
  });

  it("ends with its last word on a row, however far that is from the first", () => {
    const disk = made();
    const again = CHANGES.map((change) => ({ ...change, value: ["again"] }));
    const changes = [...CHANGES, ...again];
    expect(journalOn(disk).commit({ at: AT, changes, findings: [] }).ok).toBe(true);
    expect(new Set(Object.values(contentOf(disk).rows).map(String))).toEqual(
      new Set(["a", "b", "again"]),
    );
    disk.close();
  });

  it("may be of findings alone, in parts that are not long, or delete all", () => {
    const disk = made();
    const journal = journalOn(disk);
    const findings = [1, 2, 3, 4, 5].map((at) => ({
      at,
      finding: { type: "kill", source: "operator", on: true, detail: LONG } as const,
    }));
    const work = journal.commitInSlices({ at: AT, changes: [], findings });
    while (!isComplete(disk) && work.next().done !== true);
    const parts =
      "SELECT count(*) AS parts, max(length(body)) < 500000 AS areShort FROM large_commit";
    expect(disk.prepare(parts).get()).toEqual({ parts: 3, areShort: 1 });
    expect(toEnd(work)).toMatchObject({ ok: true });
    expect(contentOf(disk)).toEqual({ ...AS_BEFORE, findings: [5, 4, 3, 2, 1] });
    const changes = ["a", "kept", "gone", "b"].map(
      (key) => ({ table: "storm", key, value: undefined }) as const,
    );
    expect(journal.commit({ at: AT, changes, findings: [] })).toMatchObject({ ok: true });
    expect(contentOf(disk).rows).toEqual({});
    disk.close();
  });

  it("is brought in before the rows are read, if it is complete and its end could not be written", () => {
    const disk = made();
    const journal = journalOn(disk);
    // What makes it complete is the last before its parts are brought in.
    for (disk.left = 0; !isComplete(disk); disk.left += 1) {
      const { left } = disk;
      journal.commit(LARGE);
      disk.left = left;
    }
    expect(isComplete(disk)).toBe(true);
    // A version that does not know of large commits must not read it, and this one must.
    expect(versionOf(disk)).toBeGreaterThan(MIGRATIONS.length + 100);
    expect(newerSchema(disk, "journal.sqlite")).toBeUndefined();
    disk.left = 0;
    expect(() => [...journal.rows()]).toThrow("full");
    disk.left = Infinity;
    expect([...journal.rows()].map(({ key }) => key)).toContain("k11");
    expect(contentOf(disk)).toEqual(AFTERWARDS);
    disk.close();
  });
});
