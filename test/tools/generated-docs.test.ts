import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  code,
  describeGuards,
  describeKinds,
  describeRestartKeys,
  describeRuleKeys,
  leavesOf,
  replaceSection,
} from "../../tools/describe.ts";
import { describeSettings } from "../../tools/describe-settings.ts";
import { commandsTable } from "../../tools/describe-commands.ts";
import { describeRuleTestKeys } from "../../tools/describe-rule-tests.ts";
import {
  describeConfigLints,
  describeFunctions,
  describeLint,
  describeProblems,
} from "../../tools/describe-lint.ts";
import { PROBLEM_IDS } from "../../tools/problem-ids.ts";
import { settingsSchema } from "../../src/config/settings/settings-schema.ts";
import { variableNames } from "../../src/config/settings/environment.ts";
import { kinds } from "../../src/pollers/kinds.ts";

const docs = join(import.meta.dirname, "../../docs");
const source = join(import.meta.dirname, "../../src");

/** With UPDATE_DOCS=1 the tables are written again; otherwise they must be right as they are. */
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
    const sections = [...describeSettings()].map(
      ([section, rows]) => [`settings-${section}`, rows] as const,
    );
    checkDocument("configuration.md", sections);
  });

  it("have a row for each key of the config, by itself or with those that mean the same", () => {
    const rows = [...describeSettings().values()].flatMap((text) => text.split("\n"));
    const lacking = leavesOf(settingsSchema).filter(({ path, description, words }) => {
      const texts = [
        description.replaceAll("|", "\\|"),
        ...words.map((word) => code(String(word))),
      ];
      const isOf = (row: string): boolean =>
        row.startsWith("| `") && row.split("`")[1]?.split(".").at(-1) === path.at(-1);
      return !rows.some((row) => isOf(row) && texts.every((text) => row.includes(text)));
    });
    expect(lacking.map(({ path }) => path.join("."))).toEqual([]);
  });

  it("list every key of a rule, and every fact", () => {
    checkDocument("rules.md", [
      ["rule-keys", describeRuleKeys()],
      ["rule-test-keys", describeRuleTestKeys()],
      ["kinds", describeKinds(kinds.values())],
      ["functions", describeFunctions()],
    ]);
  });

  it("list every guard, in the order in which they are asked", () => {
    checkDocument("safety.md", [["guards", describeGuards()]]);
  });

  it("list every lint and every problem, each under its own id", () => {
    checkDocument("lint.md", [
      ["config-lints", describeConfigLints()],
      ["lint", describeLint()],
      ["problems", describeProblems()],
    ]);
  });

  it("list every command of operators, its call and the scope that it needs", () => {
    checkDocument("operations.md", [["commands", commandsTable()]]);
  });

  it("list every key that cannot change while aggwatch runs", () => {
    checkDocument("operations.md", [["restart-keys", describeRestartKeys()]]);
  });

  it("know every problem that the source can name", () => {
    const files = readdirSync(source, { recursive: true, encoding: "utf8" });
    const named = files
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [
        ...readFileSync(join(source, name), "utf8").matchAll(
          /"((?:yaml|config|rule|tokens|test|watch)\/[a-z-]+)"/g,
        ),
      ])
      .map((match) => match[1] ?? "");
    // The shape of a rule, a test and a tokens file is checked as a config's is, and ids are renamed.
    const renamed = ["rule", "test", "tokens"].flatMap((of) =>
      ["bad-value", "missing", "unknown-key"].map((id) => `${of}/${id}`),
    );
    renamed.push("tokens/secret-in-config");
    expect([...new Set([...named, ...renamed])].sort()).toEqual(Object.keys(PROBLEM_IDS).sort());
  });

  it("give every key a meaning", () => {
    const empty = [...describeSettings().values(), describeRuleKeys(), describeRuleTestKeys()]
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
