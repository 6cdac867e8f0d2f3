import type { ActionName } from "../../domain/action.ts";
import type { KindDefinition } from "../../domain/entity.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Rule } from "../../domain/rule.ts";
import { celLanguage, type CelLanguage } from "../cel/environment.ts";
import { checkShape, placeShapeProblems } from "../yaml/check-shape.ts";
import { compileRule } from "./compile-rule.ts";
import type { CompiledRule, Languages, RuleActions } from "./compile-rule.ts";
import { sortProblems, type Problem } from "../problem.ts";
import { groupSchema, ruleFileSchema, ruleSchema, type RuleText } from "./rule-schema.ts";
import { unknownAlert } from "./rule-work.ts";
import { lineAt, problemAtPath, readYamlSource } from "../yaml/yaml-source.ts";
import type { YamlPath, YamlSource } from "../yaml/yaml-source.ts";

export type RuleInput = {
  readonly files: ReadonlyArray<{ readonly name: string; readonly text: string }>;
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  /** What rules need to know of the actions. */
  readonly actions: ReadonlyMap<ActionName, RuleActions>;
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
  const languages = languagesOf(input.kinds);
  const problems: Problem[] = [];
  const compiled: CompiledRule[] = [];
  for (const file of input.files) {
    const read = readYamlSource(file.name, file.text);
    if (!read.ok) {
      problems.push(...read.problems);
      continue;
    }
    sources.push(read.source);
    for (const { rule, path, group } of rulesOf(read.source, problems)) {
      const place = { source: read.source, path, group };
      const result = compileRule(rule, place, languages, input.actions, problems);
      if (result !== undefined) compiled.push(result);
    }
  }
  problems.push(...checkNames(compiled, new Set(input.otherAlerts)));
  return { compiled, sources, problems: sortProblems(problems) };
}

/** The language of each kind, made when a rule first asks for it; windowed facts are a rule's own. */
function languagesOf(kinds: RuleInput["kinds"]): Languages {
  const made = new Map<string, CelLanguage>();
  return {
    kinds: [...kinds.keys()],
    of: (kind, windows) => {
      const definition = kinds.get(kind);
      if (definition === undefined) return undefined;
      if (windows.size > 0) return celLanguage(definition, windows);
      const language = made.get(kind) ?? celLanguage(definition);
      made.set(kind, language);
      return language;
    },
  };
}

const EMPTY_FILE = {
  id: "rule/empty",
  message: "there is no rule in this file",
  hint: "write its rules, or delete it; if it is to hold none, write groups: []",
};

type FoundRule = { readonly rule: RuleText; readonly path: YamlPath; readonly group: string };

/** The rules of a file, as far as their shape is sound. */
function rulesOf(source: YamlSource, problems: Problem[]): FoundRule[] {
  // Written over by halves, or forgotten: its alerts would end without a word.
  if (source.value === null) {
    problems.push(problemAtPath(source, [], EMPTY_FILE));
    return [];
  }
  const file = checkShape(ruleFileSchema, source.value);
  problems.push(...placeShapeProblems(source, [], "rule", file.problems));
  return (file.value?.groups ?? []).flatMap((value, groupIndex) => {
    const groupPath = ["groups", groupIndex];
    const group = checkShape(groupSchema, value);
    problems.push(...placeShapeProblems(source, groupPath, "rule", group.problems));
    const rules = group.value?.rules ?? rawRules(value);
    const name = group.value?.name ?? "?";
    return rules.flatMap((raw, ruleIndex) => {
      const path = [...groupPath, "rules", ruleIndex];
      const rule = checkShape(ruleSchema, raw);
      const within = { within: withinRule(name, raw) };
      problems.push(...placeShapeProblems(source, path, "rule", rule.problems, within));
      return rule.value === undefined ? [] : [{ rule: rule.value, path, group: name }];
    });
  });
}

/** The rules of a group whose name is missing are checked as well. */
function rawRules(group: unknown): readonly unknown[] {
  const rules: unknown =
    typeof group === "object" && group !== null && "rules" in group ? group.rules : [];
  return Array.isArray(rules) ? rules : [];
}

function withinRule(group: string, raw: unknown): string {
  const alert: unknown = typeof raw === "object" && raw !== null && "alert" in raw ? raw.alert : "";
  return `group "${group}"${typeof alert === "string" && alert !== "" ? `, rule "${alert}"` : ""}`;
}

/** Checks over all rules of all files: names are unique, and `inhibited_by` names a rule. */
function checkNames(compiled: readonly CompiledRule[], others: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  const first = new Map<string, CompiledRule>();
  for (const rule of compiled) {
    const earlier = first.get(rule.alert);
    if (earlier === undefined) first.set(rule.alert, rule);
    else problems.push(duplicateName(rule, earlier));
  }
  for (const rule of compiled)
    for (const [index, name] of rule.inhibitedBy.entries())
      if (!first.has(name) && !others.has(name))
        problems.push(unknownInhibitor(rule, index, name, [...first.keys(), ...others]));
  return problems;
}

function duplicateName(rule: CompiledRule, earlier: CompiledRule): Problem {
  const { source, path, group } = rule.place;
  const line = lineAt(earlier.place.source, [...earlier.place.path, "alert"]);
  return problemAtPath(source, [...path, "alert"], {
    id: "rule/duplicate-alert",
    message: `there is already an alert "${rule.alert}", at ${earlier.place.source.file}:${line}`,
    within: `group "${group}"`,
  });
}

function unknownInhibitor(
  { alert, place: { source, path, group } }: CompiledRule,
  index: number,
  name: string,
  known: readonly string[],
): Problem {
  return problemAtPath(source, [...path, "inhibited_by", index], {
    ...unknownAlert("rule/unknown-alert", name, known),
    within: `group "${group}", rule "${alert}"`,
  });
}
