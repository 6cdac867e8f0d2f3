import type { ASTNode } from "@marcbachmann/cel-js";
import type { WindowSpec } from "../../domain/rule.ts";
import type { CelLanguage } from "../cel/environment.ts";
import { childrenOf, constantOf } from "../cel/nodes.ts";
import { hintFor } from "../suggest.ts";
import { clausesOf, conditionsOf, partsOf, type RuleCondition } from "./clauses.ts";
import type { LintCheck, LintFinding } from "./lint-check.ts";
import { quantityOf } from "./quantity.ts";
import { contradictionIn } from "./satisfiable.ts";

/** Whether a condition says anything: one that is never true, or always, does not. */

export const neverTrue: LintCheck = {
  id: "lint/never-true",
  means: "A condition, or a part of it, can never be true.",
  why: "A fact is compared with a value that it never has, or with limits that exclude each other, so the rule never fires.",
  mend: "Compare with a value that the fact can have; docs/rules.md lists the facts and their values.",
  find: (linted) => [
    ...conditionsOf(linted).flatMap((condition) => inCondition(condition, linted.language)),
    ...linted.rule.windows.flatMap((window) => inWindow(window, linted.language)),
  ],
};

/** Finds changes to a word that the fact never has. */
function inWindow(
  { name, fact, to }: WindowSpec,
  { definition }: CelLanguage,
): readonly LintFinding[] {
  const values = definition.facts[fact]?.values;
  if (values === undefined || typeof to !== "string" || values.includes(to)) return [];
  const path = ["with", name, "count", "to"];
  return [{ path, message: `${fact} is never "${to}"`, hint: hintFor(to, values) }];
}

function inCondition(condition: RuleCondition, language: CelLanguage): readonly LintFinding[] {
  const { path, ast } = condition;
  const words = unknownWords(condition, language);
  if (words.length > 0) return words;
  const parts = partsOf(ast, "||");
  return parts.flatMap((part) => {
    const clauses = clausesOf(part);
    const found = clauses?.map((clause) => contradictionIn(clause, language));
    const [first] = found ?? [];
    if (first === undefined || found?.includes(undefined) !== false) return [];
    const what = parts.length > 1 ? "this part" : "the condition";
    const why = first === "false" || first === "true" ? "" : `: no value of ${first} fits`;
    return [{ path, range: rangeOf(part), message: `${what} can never be true${why}` }];
  });
}

/** Finds words that a fact never has, wherever they are: also in `!=`, which is then always true. */
function unknownWords({ path, ast }: RuleCondition, language: CelLanguage): readonly LintFinding[] {
  const findings: LintFinding[] = [];
  const compare = (fact: ASTNode, constants: readonly ASTNode[]): void => {
    const quantity = quantityOf(fact, language);
    for (const node of constants) {
      const word = constantOf(node);
      if (quantity?.values === undefined || typeof word !== "string") continue;
      if (quantity.values.includes(word)) continue;
      const message = `${quantity.name} is never "${word}"`;
      findings.push({ path, range: rangeOf(node), message, hint: hintFor(word, quantity.values) });
    }
  };
  const visit = (node: ASTNode): void => {
    if (node.op === "==" || node.op === "!=" || node.op === "in") {
      const [left, right] = node.args;
      compare(left, right.op === "list" ? right.args : [right]);
      if (node.op !== "in") compare(right, [left]);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(ast);
  return findings;
}

function rangeOf({ start, end }: ASTNode): LintFinding["range"] & {} {
  return { start, end };
}

export const alwaysTrue: LintCheck = {
  id: "lint/always-true",
  means: "A condition, or a part of it, is true of every entity.",
  why: "A condition that is always true fires for every entity; a part that is always true has no effect, and hides what was meant.",
  mend: "Remove the part, or write the limit that was meant.",
  find: (linted) =>
    conditionsOf(linted).flatMap(({ path, ast }) => {
      const parts = partsOf(ast, "&&");
      return parts.flatMap((part) => {
        const ways = clausesOf(part, false);
        const found = ways?.map((clause) => contradictionIn(clause, linted.language));
        // A pair that is listed at all is disabled: to say so is not a mistake.
        if (found?.includes(undefined) !== false || isOnlyWord(found, linted.language)) return [];
        const what = parts.length > 1 ? "this part" : "the condition";
        return [{ path, range: rangeOf(part), message: `${what} is always true` }];
      });
    }),
};

/** The fact has only one possible word, so that naming it only says that the entity is there. */
function isOnlyWord(
  found: ReadonlyArray<string | undefined>,
  { kind, facts }: CelLanguage,
): boolean {
  return found.every((name) => facts[name?.slice(kind.length + 1) ?? ""]?.values?.length === 1);
}
