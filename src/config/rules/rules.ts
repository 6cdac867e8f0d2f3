import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Rule } from "../../domain/rule.ts";
import { checkShape, placeShapeProblems } from "../yaml/check-shape.ts";
import { isStandIn } from "../yaml/known-problems.ts";
import { listAt, valueAt } from "../../domain/values/plain-values.ts";
import { compileRule } from "./compile-rule.ts";
import type { Around, CompiledRule } from "./compile-rule.ts";
import { sortProblems, type Problem } from "../problem.ts";
import { sameNames } from "../same-names.ts";
import { circularInhibitors, unknownInhibitors } from "./inhibitors.ts";
import { groupSchema, ruleFileSchema, ruleSchema, type RuleText } from "./rule-schema.ts";
import { withinRule, type RulePlace } from "./rule-work.ts";
import { lineAt, problemAtPath, readableSource, readYamlSource } from "../yaml/yaml-source.ts";
import type { YamlSource } from "../yaml/yaml-source.ts";

export type RuleInput = Around & {
  readonly files: ReadonlyArray<{ readonly name: string; readonly text: string }>;
  /** Alerts of other files, which rules may be inhibited by. */
  readonly otherAlerts?: readonly string[];
};

/**
 * Compiles all rule files together: the rules, or every problem in all of them. A rule with
 * `enabled: false` is checked and left out.
 */
export function compileRules(input: RuleInput): Result<readonly Rule[], readonly Problem[]> {
  const { problems, compiled } = compileRuleSet(input);
  return problems.length > 0 ? fail(problems) : succeed(enabledRules(compiled));
}

/** The rules that run. */
export function enabledRules(compiled: readonly CompiledRule[]): readonly Rule[] {
  return compiled.filter(({ enabled }) => enabled).flatMap(({ rule }) => rule ?? []);
}

/** Every rule that was checked, with its place, and every problem, sorted. */
export function compileRuleSet(input: RuleInput): {
  readonly compiled: readonly CompiledRule[];
  readonly sources: readonly YamlSource[];
  readonly problems: readonly Problem[];
} {
  const sources: YamlSource[] = [];
  const problems: Problem[] = [];
  const compiled: CompiledRule[] = [];
  let isWhole = true;
  for (const file of input.files) {
    const read = readYamlSource(file.name, file.text);
    if (!read.ok) {
      problems.push(...read.problem);
      isWhole = false;
    }
    const source = readableSource(read);
    if (source === undefined) continue;
    sources.push(source);
    const found = rulesOf(source, problems);
    isWhole &&= found.isWhole;
    for (const { rule, ...place } of found.rules)
      compiled.push(compileRule(rule, place, input, problems));
  }
  const named = compiled.filter(isNamed);
  problems.push(...duplicateNames(named), ...circularInhibitors(named));
  // A rule that could not be read, or has no name, may be the one that another rule names.
  if (isWhole && named.length === compiled.length)
    problems.push(...unknownInhibitors(named, new Set(input.otherAlerts)));
  return { compiled, sources, problems: sortProblems(problems) };
}

const EMPTY_FILE = {
  id: "rule/empty",
  message: "there is no rule in this file",
  hint: "write its rules, or delete it; if it is to hold none, write groups: []",
};

type FoundRule = RulePlace & { readonly rule: RuleText };

/** The rules of a file whose shape is valid; `isWhole`: the file has no others. */
function rulesOf(
  source: YamlSource,
  problems: Problem[],
): { readonly rules: readonly FoundRule[]; readonly isWhole: boolean } {
  // Half written, or forgotten: its alerts would end silently.
  if (source.value === null) {
    problems.push(problemAtPath(source, [], EMPTY_FILE));
    return { rules: [], isWhole: false };
  }
  const file = checkShape(ruleFileSchema, source.value);
  problems.push(...placeShapeProblems(source, [], "rule", file.problems));
  let isWhole = file.problems.length === 0;
  const rules = (file.value?.groups ?? []).flatMap((value, groupIndex) => {
    const groupPath = ["groups", groupIndex];
    const group = checkShape(groupSchema, value, { whole: "this entry", top: "the group itself" });
    isWhole &&= group.problems.length === 0;
    problems.push(...placeShapeProblems(source, groupPath, "rule", group.problems));
    const name = isStandIn({ known: group.problems }, ["name"]) ? "?" : (group.value?.name ?? "?");
    // The rules of a group whose name is missing are checked as well.
    return listAt(value, ["rules"]).flatMap((raw, ruleIndex) => {
      const path = [...groupPath, "rules", ruleIndex];
      const rule = checkShape(ruleSchema, raw, { whole: "this entry", top: "the rule itself" });
      const alert: unknown = valueAt(raw, ["alert"]);
      const within = { within: withinRule(name, typeof alert === "string" ? alert : "") };
      problems.push(...placeShapeProblems(source, path, "rule", rule.problems, within));
      isWhole &&= rule.value !== undefined;
      if (rule.value === undefined) return [];
      return [{ rule: rule.value, source, path, group: name, known: rule.problems }];
    });
  });
  return { rules, isWhole };
}

function isNamed({ place }: CompiledRule): boolean {
  return !isStandIn(place, ["alert"]);
}

function duplicateNames(compiled: readonly CompiledRule[]): Problem[] {
  const named = compiled.map(({ alert: name, place }) => ({ name, place }));
  return sameNames(named).map(([{ name, place }, first]) => {
    const line = lineAt(first.place.source, [...first.place.path, "alert"]);
    return problemAtPath(place.source, [...place.path, "alert"], {
      id: "rule/duplicate-alert",
      message: `there is already an alert "${name}", at ${first.place.source.file}:${line}`,
      within: withinRule(place.group, ""),
    });
  });
}
