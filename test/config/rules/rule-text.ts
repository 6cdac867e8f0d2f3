import { actionsByName } from "../../../src/actions/index.ts";
import type { Rule, Scope } from "../../../src/domain/rule.ts";
import type { Problem } from "../../../src/config/problem.ts";
import { compileRules } from "../../../src/config/rules/rules.ts";
import { kinds } from "../../../src/pollers/kinds.ts";

export function compileTexts(...texts: readonly string[]) {
  const files = texts.map((text, index) => ({ name: `rules/${index + 1}.yaml`, text }));
  return compileRules({ files, kinds, actions: actionsByName });
}

/** The rules of texts that are right. */
export function rulesOf(...texts: readonly string[]): readonly Rule[] {
  const compiled = compileTexts(...texts);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problem, undefined, 2));
  return compiled.value;
}

/** The problems of texts that are wrong. */
export function problemsOf(...texts: readonly string[]): readonly Problem[] {
  const compiled = compileTexts(...texts);
  return compiled.ok ? [] : compiled.problem;
}

/** `line:column id` of each problem. */
export function placesOf(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ line, column, id }) => `${line}:${column} ${id}`);
}

/** A rule file with one rule; each line of the rule is given without its indentation. */
export function ruleFile(...lines: readonly string[]): string {
  const [first, ...rest] = lines;
  return [
    "groups:",
    "  - name: test",
    "    rules:",
    `      - ${first ?? ""}`,
    ...rest.map((line) => `        ${line}`),
  ].join("\n");
}

export function scope(kind: string, facts: Scope["facts"], now = 0): Scope {
  return { aggregator: "bsc-mainnet", kind, facts, now };
}
