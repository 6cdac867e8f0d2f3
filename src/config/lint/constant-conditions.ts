import type { ASTNode } from "@marcbachmann/cel-js";
import type { WindowSpec } from "../../domain/rule.ts";
import type { CelLanguage } from "../cel/environment.ts";
import { childrenOf, constantOf } from "../cel/nodes.ts";
import { isWord, settingOfStatus } from "../../pollers/status-words.ts";
import type { AggregatorSettings } from "../settings/resolve-aggregator.ts";
import { hintFor } from "../suggest.ts";
import { clausesOf, conditionsOf, partsOf, type RuleCondition } from "./clauses.ts";
import type { LintCheck, LintedRule, LintFinding } from "./lint-check.ts";
import { judgedBy } from "./polls.ts";
import { quantityOf, type Quantity } from "./quantity.ts";
import { contradictionIn } from "./satisfiable.ts";

/** Whether a condition says anything: one that is never true, or always, does not. */

export const neverTrue: LintCheck = {
  id: "lint/never-true",
  means: "A condition, or a part of it, can never be true.",
  why: "A fact is compared with a value that it never has, or with limits that exclude each other, so the rule never fires.",
  mend: "Compare with a value that the fact can have; docs/rules.md lists the facts and their values.",
  find: (linted, { aggregators }) => [
    ...conditionsOf(linted).flatMap((condition) => [
      ...inCondition(condition, linted.language),
      ...wordsInOtherCase(condition, linted, aggregators),
    ]),
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

/** Finds words that a fact never has. */
function unknownWords({ path, ast }: RuleCondition, language: CelLanguage): readonly LintFinding[] {
  return comparedWords(ast, language).flatMap(({ quantity: { name, values }, word, node }) => {
    if (values === undefined || values.includes(word)) return [];
    const message = `${name} is never "${word}"`;
    return [{ path, range: rangeOf(node), message, hint: hintFor(word, values) }];
  });
}

/** Finds words of `statuses` in another case than there: pollers spell a status as the settings do. */
function wordsInOtherCase(
  { path, ast }: RuleCondition,
  { rule, language }: LintedRule,
  aggregators: readonly AggregatorSettings[],
): readonly LintFinding[] {
  const setting = settingOfStatus(language.definition);
  if (setting === undefined) return [];
  const known = judgedBy(rule, aggregators).flatMap(({ statuses, swapStatuses }) =>
    Object.values(setting === "swap_statuses" ? swapStatuses : statuses).flat(),
  );
  return comparedWords(ast, language).flatMap(({ quantity: { name }, word, node }) => {
    const own = known.find((one) => isWord(one, word));
    const isStatus = name === `${rule.kind}.status`;
    if (!isStatus || own === undefined || known.includes(word)) return [];
    const message = `${name} is never "${word}", as its words are spelled as in \`${setting}\``;
    return [{ path, range: rangeOf(node), message, hint: `did you mean "${own}"?` }];
  });
}

type ComparedWord = {
  readonly quantity: Quantity;
  readonly word: string;
  readonly node: ASTNode;
};

/** The words that facts are compared with, wherever they are: also in `!=`, which a wrong word makes always true. */
function comparedWords(ast: ASTNode, language: CelLanguage): readonly ComparedWord[] {
  const found: ComparedWord[] = [];
  const compare = (fact: ASTNode, constants: readonly ASTNode[]): void => {
    const quantity = quantityOf(fact, language);
    for (const node of constants) {
      const word = constantOf(node);
      if (quantity !== undefined && typeof word === "string") found.push({ quantity, word, node });
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
  return found;
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
