import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mostBad } from "../src/core/act/storm-count.ts";
import { SUPPRESSION_REASONS } from "../src/core/act/guards/index.ts";

const root = join(import.meta.dirname, "..");
const safety = readFileSync(join(root, "docs/safety.md"), "utf8");

/** The cells of a table between two marks, without its head. */
function rowsOf(section: string): string[][] {
  const from = safety.indexOf(`<!-- ${section}: begin -->`);
  const to = safety.indexOf(`<!-- ${section}: end -->`);
  const lines = safety.slice(from, to).trim().split("\n").slice(3);
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The titles of the tests in a file: the first text after `it(`, `test(` or `it.each(...)(`. */
function titlesOf(file: string): Set<string> {
  const text = readFileSync(join(root, file), "utf8");
  const title = /(?:\b(?:it|test)(?:\.\w+)*|\])?\)?\(\s*(["'`])((?:\\.|(?!\1).)*)\1\s*,/g;
  return new Set(
    [...text.matchAll(title)].map((match) => (match[2] ?? "").replace(/\\(.)/g, "$1")),
  );
}

describe("docs/safety.md", () => {
  const promises = rowsOf("promises");

  it("has promises, each with a file and a test", () => {
    expect(promises.length).toBeGreaterThan(40);
    for (const row of promises) expect(row).toHaveLength(3);
  });

  it.each(promises)("%s (%s: %s) is a test that is there", (_promise, file = "", title = "") => {
    const path = file.replaceAll("`", "");
    expect(existsSync(join(root, path)), path).toBe(true);
    expect([...titlesOf(path)]).toContain(title);
  });

  it("finds no test that is not there", () => {
    expect([...titlesOf("test/core/act/storm.test.ts")]).not.toContain("is a test of nothing");
  });

  it("has a promise for every guard except for act.if, which is the rule's own", () => {
    const named = promises.map(([promise]) => /^`(\w+)`:/.exec(promise ?? "")?.[1]);
    for (const reason of SUPPRESSION_REASONS) {
      if (reason === "condition") continue;
      expect(named, `docs/safety.md has no promise for ${reason}`).toContain(reason);
    }
  });

  it("reckons with the default limits", () => {
    const rules = readFileSync(join(root, "docs/rules.md"), "utf8");
    expect(rules).toContain("| `act.storm.max` | `5` |");
    expect(rules).toContain("| `act.storm.max_ratio` | `0.5` |");
    expect(rules).toContain("| `act.storm.within` | `10m` |");
  });

  it.each(rowsOf("fleets"))(
    "says of %s what the storm limits say",
    (_fleet, known, repaired, storm) => {
      const most = mostBad({ max: 5, maxRatio: 0.5, withinMs: 0 }, Number(known));
      expect([repaired, storm]).toEqual([String(most), String(most + 1)]);
    },
  );
});
