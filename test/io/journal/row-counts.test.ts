/** Tests src/io/journal/rows.ts: how many rows there are. */
import { afterEach, expect, it } from "vitest";
import type { Change } from "../../../src/domain/step.ts";
import { openJournal } from "../../../src/io/journal/journal.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const directory = temporaryDirectory();
afterEach(directory.remove);

it.each([0, 1, 4_999, 5_000, 5_001, 10_000])("counts %i rows a part at a time", (rows) => {
  const journal = openJournal(directory.path);
  if (!journal.ok) throw new Error(journal.problem);
  const changes: Change[] = Array.from({ length: rows }, (_, index) => ({
    table: "attempt",
    key: `bsc/exchange/E${index}`,
    value: { lastAt: 1, failures: 0 },
  }));
  journal.value.commit({ at: 1, changes, findings: [] });
  const counts = [...journal.value.rowCounts()];
  expect(Math.max(...counts)).toBe(Math.min(rows, 5_000));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe([...journal.value.rows()].length);
  journal.value.close();
});
