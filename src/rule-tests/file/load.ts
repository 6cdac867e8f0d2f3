import { basename, dirname, join } from "node:path";
import type { ActionName } from "../../domain/action.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Rule } from "../../domain/rule.ts";
import type { RuleActions } from "../../config/rules/compile-rule.ts";
import { compileRuleTest } from "./compile-rule-test.ts";
import { sortProblems, type Problem } from "../../config/problem.ts";
import type { RuleTest, RuleTestFile } from "./rule-test.ts";
import { ruleTestFileSchema } from "./schema.ts";
import { compileRuleSet, type RuleInput } from "../../config/rules/rules.ts";
import { shapeOf, testReporter, type TestReporter } from "./file-part.ts";
import { readYamlSource } from "../../config/yaml/yaml-source.ts";

type RuleTestInput = {
  readonly file: { readonly name: string; readonly text: string };
  /** Reads a rule file; the problem says why it cannot be read. */
  readonly readText: (path: string) => Result<string, string>;
  readonly kinds: RuleInput["kinds"];
  readonly actions: ReadonlyMap<ActionName, RuleActions>;
};

/** Reads a test file and the rules that it tests, or gives every problem in these files. */
export function loadRuleTests(input: RuleTestInput): Result<RuleTestFile, readonly Problem[]> {
  const { name: file } = input.file;
  const read = readYamlSource(file, input.file.text);
  if (!read.ok) return read;
  const reporter = testReporter(read.value);
  const shape = shapeOf({ value: read.value.value, path: [], reporter }, ruleTestFileSchema);
  if (shape === undefined) return fail(reporter.problems);
  const loaded = loadRules(input, reporter, shape.rule_files);
  const alerts = loaded?.map(({ rule }) => rule.alert);
  const compiled = shape.tests.map((value, index) =>
    compileRuleTest({ value, path: ["tests", index], reporter, alerts }),
  );
  checkNames(reporter, compiled);
  if (loaded === undefined || alerts === undefined || reporter.problems.length > 0)
    return fail(sortProblems(reporter.problems));
  const inForce = loaded.filter(isInForce).map(({ rule }) => rule.alert);
  const others = inForce.length > 0 ? inForce : alerts;
  const tests = compiled
    .filter((test) => test !== undefined)
    .map((test) => ({ ...test, judgedBy: judgesOf(test, others) }));
  return succeed({ file, rules: loaded.map(({ rule }) => rule), tests });
}

type LoadedRule = { readonly rule: Rule; readonly enabled: boolean };

/** Whether it judges on every aggregator, and so in every test. */
function isInForce({ rule, enabled }: LoadedRule): boolean {
  return enabled && rule.aggregators === undefined;
}

/** The rules that judge in a test: those that it lists; or these others, and those that it expects or decides on. */
function judgesOf({ judgedBy, expectations, commands }: RuleTest, others: readonly string[]) {
  if (judgedBy !== undefined) return judgedBy;
  const expected = expectations.flatMap(({ lists }) =>
    (["alerts", "suppressed"] as const).flatMap((list) => lists.get(list) ?? []),
  );
  const decided = commands.flatMap((command) => ("alert" in command ? [command.alert] : []));
  return new Set([...others, ...expected.map(({ name }) => name), ...decided]);
}

function loadRules(
  input: RuleTestInput,
  reporter: TestReporter,
  named: readonly string[] | undefined,
): readonly LoadedRule[] | undefined {
  if (named === undefined && reporter.isMisspelt([], ["rule_files"])) return undefined;
  const pathOf = (name: string): string => join(dirname(input.file.name), name);
  const [own = "", ...others] = [".yaml", ".yml"].map((end) =>
    basename(input.file.name).replace(/\.test\.ya?ml$/, end),
  );
  const beside = [own, ...others].find((name) => input.readText(pathOf(name)).ok) ?? own;
  const files = (named ?? [beside]).flatMap((name, index) => {
    const path = pathOf(name);
    const text = input.readText(path);
    if (text.ok) return [{ name: path, text: text.value }];
    reporter.report(named === undefined ? [] : ["rule_files", index], {
      id: "test/rule-file",
      message: `the rule file ${path} cannot be read: ${text.problem}`,
      hint: "name the rule files relative to this file, such as rule_files: [exchanges.yaml]",
    });
    return [];
  });
  if (files.length < (named ?? [beside]).length) return undefined;
  const { kinds, actions } = input;
  const { compiled, problems } = compileRuleSet({ files, kinds, actions });
  reporter.problems.push(...problems);
  if (problems.length > 0) return undefined;
  return compiled.flatMap(({ rule, enabled }) => (rule === undefined ? [] : [{ rule, enabled }]));
}

function checkNames(reporter: TestReporter, tests: ReadonlyArray<RuleTest | undefined>): void {
  const first = new Map<string, number>();
  for (const [index, test] of tests.entries()) {
    if (test === undefined || reporter.isMisspelt(["tests", index], ["name"])) continue;
    const earlier = first.get(test.name);
    if (earlier === undefined) first.set(test.name, test.line);
    else
      reporter.report(["tests", index, "name"], {
        id: "test/duplicate-name",
        message: `there is already a test of this name, in line ${earlier}`,
      });
  }
}
