import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { toEnd } from "../../../src/domain/slices.ts";
import { JOURNAL_FILE, openJournal } from "../../../src/io/journal/journal.ts";
import { salvageJournal } from "../../../src/io/journal/salvage.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** A journal of findings, some of which are broken; as much of it is left as `part` says. */
function lostOf({
  part,
  broken,
  findings = 200,
}: {
  readonly part: number;
  readonly broken: readonly number[];
  readonly findings?: number;
}) {
  const room = temporaryDirectory();
  try {
    const journal = openJournal(room.path);
    if (!journal.ok) throw new Error(journal.problem);
    journal.value.close();
    const file = join(room.path, JOURNAL_FILE);
    const database = new DatabaseSync(file);
    const add = database.prepare("INSERT INTO finding (seq, at, type, body) VALUES (?, 1, 'x', ?)");
    const areBroken = new Set(broken);
    database.exec("BEGIN");
    for (let seq = 1; seq <= findings; seq += 1)
      add.run(seq, areBroken.has(seq) ? "{" : JSON.stringify("x".repeat(500)));
    database.exec("COMMIT");
    database.close();
    truncateSync(file, Math.floor(statSync(file).size * part));
    const saved = toEnd(salvageJournal(room.path, Date.UTC(2026, 0, 1)));
    if (!saved.ok) throw new Error(saved.problem);
    return saved.value;
  } finally {
    room.remove();
  }
}

it("names each broken finding once, though it is read again around a damage", () => {
  const { lost, findings } = lostOf({ part: 0.6, broken: [2, 4] });
  const named = lost.filter((line) => line.includes("not JSON"));
  expect(named).toEqual([...new Set(named)]);
  expect(named.slice(0, 2)).toEqual(["the finding 2: not JSON", "the finding 4: not JSON"]);
  expect(findings).toBeGreaterThan(0);
});

it("names the first hundred of many broken findings, and counts the others", () => {
  const many = Array.from({ length: 150_000 }, (_, index) => index + 1);
  const { lost } = lostOf({ part: 1, broken: many, findings: many.length + 1 });
  expect(lost.length).toBe(101);
  expect(lost[0]).toBe("the finding 1: not JSON");
  expect(lost.at(-1)).toBe("149900 more findings that are broken");
});

it("says that a number of findings is a guess, if not even the last one is known", () => {
  const { lost } = lostOf({ part: 0.6, broken: [] });
  expect(lost).toContainEqual(expect.stringMatching(/^at most \d+ findings that cannot be read$/));
});

it("gives the number itself if both ends can be read", () => {
  expect(lostOf({ part: 1, broken: [7] }).lost).toEqual(["the finding 7: not JSON"]);
});
