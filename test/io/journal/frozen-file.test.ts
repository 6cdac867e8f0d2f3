import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
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
