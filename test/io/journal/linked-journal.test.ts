/** Tests src/io/journal: file. */
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toEnd } from "../../../src/domain/slices.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { salvageJournal } from "../../../src/io/journal/salvage/salvage.ts";
import { checkJournal, copyJournal } from "../../../src/io/journal/tools.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let room: ReturnType<typeof temporaryDirectory>;
let data: string;
let disk: string;
beforeEach(() => {
  room = temporaryDirectory();
  [data, disk] = [join(room.path, "data"), join(room.path, "disk")];
  mkdirSync(disk);
});
afterEach(() => room.remove());

/** What a killed process leaves: its commit is in the log alone. */
function leaveCommit(): void {
  const live = join(room.path, "live");
  const journal = openJournal(live);
  if (!journal.ok) throw new Error(journal.problem);
  const row = { table: "counter", key: "at", value: 7 } as const;
  expect(journal.value.commit({ at: 7, changes: [row], findings: [] }).ok).toBe(true);
  cpSync(live, data, { recursive: true });
  journal.value.close();
}

function problemOf(): string | undefined {
  const opened = openJournal(data);
  if (!opened.ok) return opened.problem;
  opened.value.close();
  return undefined;
}

it("a journal that is a link is refused, as its log would not be beside it", () => {
  leaveCommit();
  renameSync(join(data, JOURNAL_FILE), join(disk, JOURNAL_FILE));
  symlinkSync(join(disk, JOURNAL_FILE), join(data, JOURNAL_FILE));
  expect(problemOf()).toContain("is a symbolic link");
  expect(readdirSync(disk)).toEqual([JOURNAL_FILE]);
});

it("neither a check, a backup nor a repair leaves out the log of a journal that is a link", () => {
  leaveCommit();
  renameSync(join(data, JOURNAL_FILE), join(disk, JOURNAL_FILE));
  renameSync(join(data, `${JOURNAL_FILE}-wal`), join(disk, `${JOURNAL_FILE}-wal`));
  symlinkSync(join(disk, JOURNAL_FILE), join(data, JOURNAL_FILE));
  const problem = expect.stringContaining("is a symbolic link");
  const target = join(room.path, "backup.sqlite");
  expect(toEnd(checkJournal(data))).toEqual({ ok: false, problem });
  expect(toEnd(copyJournal(data, target))).toEqual({ ok: false, problem });
  expect(toEnd(salvageJournal(data, 7))).toEqual({ ok: false, problem });
});

it("a backup may be looked at by a link", () => {
  leaveCommit();
  const backup = join(disk, "backup.sqlite");
  expect(toEnd(copyJournal(data, backup)).ok).toBe(true);
  symlinkSync(backup, join(room.path, "latest.sqlite"));
  const checked = toEnd(checkJournal(join(room.path, "latest.sqlite")));
  expect(checked).toMatchObject({ value: { problems: [], info: { lastAt: 7 } } });
});

it("a link to a disk that is away is not replaced by an empty journal", () => {
  mkdirSync(data);
  symlinkSync(join(disk, JOURNAL_FILE), join(data, JOURNAL_FILE));
  rmSync(disk, { recursive: true });
  expect(problemOf()).toContain("is a symbolic link");
});

it("a data directory that is a link is like any other", () => {
  symlinkSync(disk, data);
  expect(problemOf()).toBeUndefined();
  expect(readdirSync(disk)).toEqual([JOURNAL_FILE]);
});
