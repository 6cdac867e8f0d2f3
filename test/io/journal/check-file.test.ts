/** Tests src/io/journal/check-file.ts, its thread, and src/io/journal/inspect.ts. */
import { toEnd } from "../../../src/domain/slices.ts";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkFile, type FileCheck } from "../../../src/io/journal/check-file.ts";
import { JOURNAL_FILE, openJournal, type Journal } from "../../../src/io/journal/journal.ts";
import { checkJournal } from "../../../src/io/journal/tools.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { DAMAGES, fillJournal } from "./damages.ts";

const AT = Date.UTC(2026, 0, 1);
let room: ReturnType<typeof temporaryDirectory>;
let file: string;
let journal: Journal | undefined;
beforeEach(() => {
  room = temporaryDirectory();
  file = join(room.path, JOURNAL_FILE);
  fillJournal(room.path, AT);
});
afterEach(() => {
  journal?.close();
  journal = undefined;
  room.remove();
});

function open(): Journal {
  const opened = openJournal(room.path);
  if (!opened.ok) throw new Error(opened.problem);
  return (journal = opened.value);
}

const check = (): Promise<FileCheck> => new Promise((resolve) => void checkFile(file, resolve));

describe("the check of a journal's file beside the process that has it open", () => {
  test.each(DAMAGES)("finds that %s, as `journal check` does", async (_, damage, found) => {
    damage(file);
    expect(open().freezeFile()).toMatchObject({ ok: true });
    const checked = await check();
    expect(checked).toEqual({
      outcome: "damaged",
      problems: expect.arrayContaining([expect.stringMatching(found)]),
    });
    // SQLite begins its own list with the name of the database.
    expect(checked).not.toHaveProperty(
      "problems",
      expect.arrayContaining([expect.stringContaining("***")]),
    );
    journal?.close();
    journal = undefined;
    expect(toEnd(checkJournal(room.path))).toMatchObject({
      value: { problems: expect.arrayContaining([expect.stringMatching(found)]) },
    });
  });

  test("finds a sound one sound, whatever is committed meanwhile", async () => {
    expect(open().freezeFile()).toMatchObject({ ok: true });
    const checked = check();
    for (let seq = 0; seq < 300; seq += 1) {
      const finding = { type: "kill", source: "operator", on: true, detail: "y".repeat(9_000) };
      const findings = [{ at: AT, finding: finding as never }];
      expect(journal?.commit({ at: AT, changes: [], findings })).toMatchObject({ ok: true });
    }
    expect(await checked).toEqual({ outcome: "sound" });
  });

  test("fails if there is no file, and says so", async () => {
    file = join(room.path, "another");
    expect(await check()).toMatchObject({
      outcome: "failed",
      error: expect.objectContaining({ message: expect.stringContaining("unable to open") }),
    });
  });

  test("says only once what it found", async () => {
    const all: FileCheck[] = [];
    await new Promise<void>((resolve) => {
      checkFile(file, (found) => {
        all.push(found);
        resolve();
      });
    });
    // Its thread ends long before all these have.
    for (let checks = 0; checks < 4; checks += 1) await check();
    expect(all).toEqual([{ outcome: "sound" }]);
  });

  test("says nothing once it was stopped", async () => {
    const all: FileCheck[] = [];
    checkFile(file, (found) => all.push(found))();
    await check();
    expect(all).toEqual([]);
  });
});
