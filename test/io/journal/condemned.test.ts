/** Tests src/io/journal/journal.ts: what damage ends. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toEnd } from "../../../src/domain/slices.ts";
import type { Change } from "../../../src/domain/step.ts";
import {
  JOURNAL_FILE,
  journalOf,
  openJournal,
  type Journal,
} from "../../../src/io/journal/journal.ts";
import { isComplete, recoverLargeCommit } from "../../../src/io/journal/large-commit.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { overwriteLeaf } from "./damages.ts";

let room: ReturnType<typeof temporaryDirectory>;
beforeEach(() => (room = temporaryDirectory()));
afterEach(() => room.remove());

function opened(): Journal {
  const journal = openJournal(room.path);
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

const record = (count: number, value: object = { text: "x".repeat(100) }) => {
  const changes: readonly Change[] = Array.from({ length: count }, (_, index) => ({
    table: "entity",
    key: `e${1_000 + index}`,
    value,
  }));
  return { at: 1, changes, findings: [] };
};

const DAMAGE = { ok: false, problem: "it is damaged" } as const;

it("nothing is committed to a journal that a check has condemned, not even what is under way", () => {
  const journal = opened();
  const work = journal.commitInSlices(record(100));
  expect(work.next().done).toBe(false);
  journal.condemn(DAMAGE.problem);
  expect(toEnd(work)).toEqual(DAMAGE);
  expect(journal.commit(record(1))).toEqual(DAMAGE);
  expect([journal.inPlace(), journal.damage()]).toEqual([DAMAGE, DAMAGE.problem]);
  journal.close();
  const again = opened();
  expect([...again.rows()]).toEqual([]);
  again.close();
});

it("a commit that meets damage is the last, and reading says what can be done", () => {
  const filling = opened();
  expect(filling.commit(record(900))).toMatchObject({ ok: true });
  filling.close();
  overwriteLeaf(join(room.path, JOURNAL_FILE), "state", 0.5);
  const journal = opened();
  const damaged = expect.stringMatching(
    /journal\.sqlite is damaged \(.*Keep a copy of it/,
  ) as string;
  expect(() => [...journal.rowCounts()]).toThrow(/is damaged \(.*Keep a copy of it/);
  expect(journal.damage()).toBeUndefined();
  expect(journal.commit(record(900, {}))).toEqual({ ok: false, problem: damaged });
  expect(journal.damage()).toEqual(damaged);
  expect(journal.commit(record(1))).toEqual({ ok: false, problem: damaged });
  journal.close();
  // That is no damage.
  expect(() => [...journal.rowCounts()]).toThrow(/^database is not open$/);
});

/** What ends a transaction on it finds damage, once it `isDamaged`. */
class Disk extends DatabaseSync {
  isDamaged = false;

  override exec(sql: string): void {
    if (sql === "COMMIT" && this.isDamaged) throw new Error("database disk image is malformed");
    super.exec(sql);
  }
}

it("a large commit that is condemned is not in force, and ends for damage that it meets later", () => {
  opened().close();
  const disk = new Disk(join(room.path, JOURNAL_FILE));
  const begin = () => {
    const journal = journalOf(disk, room.path, { rowsAtOnce: () => 3 });
    return { journal, work: journal.commitInSlices(record(20, { text: "x".repeat(100_000) })) };
  };
  const condemned = begin();
  for (let slices = 0; slices < 4; slices += 1) expect(condemned.work.next().done).toBe(false);
  condemned.journal.condemn(DAMAGE.problem);
  expect(toEnd(condemned.work)).toEqual(DAMAGE);
  expect(isComplete(disk)).toBe(false);
  const { journal, work } = begin();
  while (!isComplete(disk) && work.next().done !== true);
  disk.isDamaged = true;
  expect(toEnd(work)).toMatchObject({ ok: false, problem: expect.stringContaining("malformed") });
  expect(journal.damage()).toContain("malformed");
  expect(() => recoverLargeCommit(disk)).toThrow("malformed");
  journal.close();
});
