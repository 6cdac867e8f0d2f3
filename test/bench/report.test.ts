import { expect, it } from "vitest";
import { documented, withReports } from "../../bench/report.ts";
import { scenarios } from "../../bench/scenarios.ts";

it("docs/benchmarks.md has a place for the figures of every scenario, and of nothing else", () => {
  expect(documented().toSorted()).toEqual([...Object.keys(scenarios), "shards-million"].toSorted());
});

it("figures replace those of the run before, and leave all else as it is", () => {
  const text =
    "a\n<!-- bench: one -->\n\nold\n\n<!-- end -->\nb\n<!-- bench: two -->\n<!-- end -->\n";
  const written = withReports(text, new Map([["one", "new"]]));
  expect(written).toBe(text.replace("old", "new"));
  expect(withReports(written, new Map([["three", "none"]]))).toBe(written);
});
