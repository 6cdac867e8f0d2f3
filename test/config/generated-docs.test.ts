import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  describeKinds,
  describeRuleKeys,
  describeSettings,
  replaceSection,
} from "../../src/config/describe.ts";
import { describeRuleTestKeys } from "../../src/config/describe-rule-tests.ts";
import { variableNames } from "../../src/config/environment.ts";
import { kinds } from "../../src/pollers/kinds.ts";

const docs = join(import.meta.dirname, "../../docs");

/** With UPDATE_DOCS=1 the tables are written anew; otherwise they must be right as they are. */
function checkDocument(name: string, sections: ReadonlyArray<readonly [string, string]>): void {
  const path = join(docs, name);
  const text = readFileSync(path, "utf8");
  const expected = sections.reduce(
    (changed, [section, content]) => replaceSection(changed, section, content),
    text,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, expected);
  else expect(text, `run UPDATE_DOCS=1 npx vitest run ${name}`).toBe(expected);
  for (const [section] of sections) expect(text).toContain(`<!-- ${section}:begin -->`);
}

describe("the tables in the docs", () => {
  it("list every key of the config", () => {
    checkDocument("configuration.md", [["settings", describeSettings()]]);
  });

  it("list every key of a rule, and every fact", () => {
    checkDocument("rules.md", [
      ["rule-keys", describeRuleKeys()],
      ["rule-test-keys", describeRuleTestKeys()],
      ["kinds", describeKinds(kinds.values())],
    ]);
  });

  it("give every key a meaning", () => {
    const empty = [describeSettings(), describeRuleKeys(), describeRuleTestKeys()]
      .flatMap((text) => text.split("\n"))
      .filter((line) => /\| +\|$/.test(line));
    expect(empty).toEqual([]);
  });

  it("give every key a variable of its own", () => {
    const names = variableNames();
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
