import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { DAY } from "../../../src/domain/time.ts";
import { COMMITS_PER_PRUNING, pruning } from "../../../src/io/journal/retention.ts";
import { rowWriter } from "../../../src/io/journal/rows.ts";
import { migrate } from "../../../src/io/journal/schema.ts";

const AT = Date.UTC(2026, 0, 1);

it("many old findings go in several commits, a part in each, and pages after the last of them", () => {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  migrate(database);
  const rows = rowWriter(database);
  for (let seq = 1; seq <= 4_510; seq += 1) rows.finding(AT, "kill", "{}");
  const pruned: number[] = [];
  const pages = { ...rows.pages, prune: (at: number) => void pruned.push(at) };
  const prune = pruning(database, { ...rows, pages }, { mostFindings: 10 });
  const count = database.prepare("SELECT count(*) AS left, min(seq) AS first FROM finding");
  const leftAfter = (commits: number) => {
    for (let commit = 0; commit < commits; commit += 1) prune(AT + DAY);
    return { ...count.get(), pruned: pruned.length };
  };
  expect(leftAfter(COMMITS_PER_PRUNING - 1)).toEqual({ left: 4_510, first: 1, pruned: 0 });
  expect(leftAfter(1)).toEqual({ left: 2_510, first: 2_001, pruned: 0 });
  expect(leftAfter(1)).toEqual({ left: 510, first: 4_001, pruned: 0 });
  expect(leftAfter(1)).toEqual({ left: 10, first: 4_501, pruned: 1 });
  rows.finding(AT, "kill", "{}");
  expect(leftAfter(COMMITS_PER_PRUNING - 1)).toEqual({ left: 11, first: 4_501, pruned: 1 });
  expect(leftAfter(1)).toEqual({ left: 10, first: 4_502, pruned: 2 });
});
