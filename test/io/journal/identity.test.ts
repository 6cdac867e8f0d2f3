import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { JOURNAL_FILE, openJournal, type Journal } from "../../../src/io/journal/journal.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let room: ReturnType<typeof temporaryDirectory>;
let journal: Journal;
let file: string;
let log: string;
beforeEach(() => {
  room = temporaryDirectory();
  file = join(room.path, JOURNAL_FILE);
  log = `${file}-wal`;
  const opened = openJournal(room.path);
  if (!opened.ok) throw new Error(opened.problem);
  journal = opened.value;
});
afterEach(() => {
  journal.close();
  room.remove();
});

/** Another file of the same bytes takes its place. */
function replace(path: string): void {
  copyFileSync(path, `${path}.other`);
  renameSync(`${path}.other`, path);
}

const RESTART =
  "; put the file back that was there. If you cannot, save what it held by `aggwatch journal backup` before a restart, which loses it";

it("a journal is in its place until its file or its log is another, or is gone", () => {
  expect(journal.inPlace()).toEqual({ ok: true, value: undefined });
  replace(log);
  const problem = `another file took the place of ${log} while it was in use${RESTART}`;
  expect(journal.inPlace()).toEqual({ ok: false, problem });
  expect(journal.commit({ at: 1, changes: [], findings: [] })).toEqual({ ok: false, problem });
  rmSync(log);
  expect(journal.inPlace()).toMatchObject({
    problem: expect.stringMatching(/-wal is gone while it is in use \(ENOENT.*\); put the file/),
  });
  replace(file);
  expect(journal.inPlace()).toMatchObject({
    problem: `another file took the place of ${file} while it was in use${RESTART}`,
  });
});

it("the log of the file that was there is to be moved away before the next start", () => {
  replace(file);
  expect(journal.inPlace()).toMatchObject({
    problem: expect.stringMatching(/and move journal\.sqlite-wal away before you start it again/),
  });
});
