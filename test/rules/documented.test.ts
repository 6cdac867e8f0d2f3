import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { actionsByName } from "../../src/actions/index.ts";
import { renderProblems } from "../../src/config/problem.ts";
import { loadRuleTests } from "../../src/rule-tests/file/load.ts";
import { fail, succeed } from "../../src/domain/result.ts";
import { kinds } from "../../src/pollers/kinds.ts";
import { renderFailures } from "../../src/rule-tests/report/report.ts";
import { runRuleTests } from "../../src/rule-tests/run/run-rule-tests.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/rules.md"), "utf8");

/** The YAML of the docs that begins with a comment which names a file. */
function documented(name: string): string {
  const block = text.split("```yaml\n").find((part) => part.startsWith(`# ${name}\n`));
  if (block === undefined) throw new Error(`docs/rules.md shows no ${name}`);
  return block.split("```")[0] ?? "";
}

const TEST_FILE = "rules/thin-pools.test.yaml";

function failuresOf(rules: string): string {
  const loaded = loadRuleTests({
    file: { name: TEST_FILE, text: documented(TEST_FILE) },
    readText: (path) => (path === "rules/thin-pools.yaml" ? succeed(rules) : fail("not there")),
    kinds,
    actions: actionsByName,
  });
  if (!loaded.ok) throw new Error(renderProblems(loaded.problem));
  return runRuleTests(loaded.value)
    .filter(({ failures }) => failures.length > 0)
    .map((result) => renderFailures(TEST_FILE, result))
    .join("\n");
}

describe("the rule and the test that the docs teach with", () => {
  const rules = documented("rules/thin-pools.yaml");

  it("pass", () => {
    expect(failuresOf(rules)).toBe("");
  });

  it("fail as the docs show", () => {
    const shown = text.split("```\nFAILED rules/thin-pools")[1]?.split("```")[0] ?? "";
    const failures = failuresOf(rules.replace("<", "<="));
    const lines = shown.split("\n").slice(1, -1);
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const [start = "", ...rest] = line.trim().split("…");
      const end = rest.join("");
      const fits = failures
        .split("\n")
        .some((one) => one.trim().startsWith(start) && one.trim().endsWith(end));
      expect(fits, line).toBe(true);
    }
  });
});
