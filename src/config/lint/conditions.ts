import type { ASTNode } from "@marcbachmann/cel-js";
import type { LintedRule } from "./lint-check.ts";

/** A condition of a rule, as a tree. */
export type RuleCondition = {
  readonly path: readonly string[];
  readonly ast: ASTNode;
};

/** `when`, and `act.if`, if it is written. */
export function conditionsOf(linted: LintedRule): readonly RuleCondition[] {
  const { rule, language } = linted;
  const condition = rule.act?.condition;
  const treeOf = (source: string) => language.environment.parse(source).ast;
  return [
    { path: ["when"], ast: treeOf(rule.when.source) },
    ...(condition === undefined ? [] : [{ path: ["act", "if"], ast: treeOf(condition.source) }]),
  ];
}
