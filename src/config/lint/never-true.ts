import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf } from "../cel/nodes.ts";
import { suggestionHint } from "../suggest.ts";
import { clausesOf, partsOf } from "./clauses.ts";
import type { LintCheck, LintedRule, LintFinding } from "./lint-check.ts";
import { constantOf, quantityOf } from "./quantity.ts";
import { contradictionIn } from "./satisfiable.ts";
import { conditionsOf, type RuleCondition } from "./conditions.ts";

export const neverTrue: LintCheck = {
  id: "lint/never-true",
  severity: "warning",
  means: "A condition, or a part of it, can never be true.",
  why: "A fact is compared with a word that it never is, or with limits that exclude each other: the rule sleeps for ever.",
  mend: "Compare with a value that the fact can have; docs/rules.md lists the facts and their words.",
  look: ({ rules }) => rules.flatMap((linted) => conditionsOf(linted).flatMap(inCondition)),
};

function inCondition(condition: RuleCondition): readonly LintFinding[] {
  const { linted, ast } = condition;
  const words = unknownWords(condition);
  if (words.length > 0) return words;
  const parts = partsOf(ast, "||");
  return parts.flatMap((part) => {
    const clauses = clausesOf(part);
    const found = clauses?.map((clause) => contradictionIn(clause, linted.language));
    const [first] = found ?? [];
    if (first === undefined || found?.includes(undefined) !== false) return [];
    const what = parts.length > 1 ? "this part" : "the condition";
    const why = first === "false" || first === "true" ? "" : `: no value of ${first} fits`;
    return [findingAt(condition, part, `${what} can never be true${why}`)];
  });
}

/** Words that a fact never is, wherever they stand: also in `!=`, which is then always true. */
function unknownWords(condition: RuleCondition): readonly LintFinding[] {
  const findings: LintFinding[] = [];
  const look = (node: ASTNode): void => {
    if (node.op === "==" || node.op === "!=" || node.op === "in") {
      const [left, right] = node.args;
      compare(condition, left, right.op === "list" ? right.args : [right], findings);
      if (node.op !== "in") compare(condition, right, [left], findings);
    }
    for (const child of childrenOf(node)) look(child);
  };
  look(condition.ast);
  return findings;
}

function compare(
  condition: RuleCondition,
  fact: ASTNode,
  constants: readonly ASTNode[],
  findings: LintFinding[],
): void {
  const quantity = quantityOf(fact, condition.linted.language);
  for (const node of constants) {
    const word = constantOf(node);
    if (quantity?.values === undefined || typeof word !== "string") continue;
    if (quantity.values.includes(word)) continue;
    const message = `${quantity.name} is never "${word}"`;
    findings.push(findingAt(condition, node, message, suggestionHint(word, quantity.values)));
  }
}

function findingAt(
  { linted, path }: { readonly linted: LintedRule; readonly path: readonly string[] },
  { start, end }: ASTNode,
  message: string,
  hint?: string,
): LintFinding {
  return {
    in: linted,
    path,
    range: { start, end },
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
