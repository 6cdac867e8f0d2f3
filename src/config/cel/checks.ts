import type { ASTNode } from "@marcbachmann/cel-js";
import { compiledPattern, type CelLanguage } from "./environment.ts";
import { unknownFunction } from "./functions.ts";
import { LONGEST_LITERAL } from "./meter.ts";
import { childrenOf, constantOf, factSelection, type FactSelection } from "./nodes.ts";
import { hintFor } from "../suggest.ts";
import { parseInstant } from "../../domain/time.ts";
import { isTimeZone } from "../../schema/fields.ts";
import { messageOf } from "../../domain/error-message.ts";

/** What is wrong within an expression; the offsets are those of the expression's own text. */
export type ExpressionProblem = {
  readonly id: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly start: number;
  readonly end: number;
};

/** What the walk over an expression finds. */
type ExpressionUse = {
  readonly problems: ExpressionProblem[];
  readonly reads: Set<string>;
  readsTime: boolean;
  /** The facts that `has()` asks about; it reads the entity as a whole. */
  readonly asked: Set<string>;
};

const LOOPS = new Set(["all", "exists", "exists_one", "map", "filter", "bind"]);
const DEEPEST_LOOPS = 2;

/**
 * Walks an expression before its types are checked, for what the type checker lets pass: facts in
 * `has()`, literal arguments that never work, computed fact names, `matches`, and nested loops.
 */
export function walkExpression(ast: ASTNode, language: CelLanguage): ExpressionUse {
  const use: ExpressionUse = {
    problems: [],
    reads: new Set(),
    readsTime: false,
    asked: new Set(),
  };
  walk(ast, 0, language, use);
  return use;
}

function walk(node: ASTNode, loops: number, language: CelLanguage, use: ExpressionUse): void {
  if (node.op === "id") return checkName(node, node.args, language, use);
  if (node.op === "." || node.op === "[]") {
    const fact = factSelection(node, language);
    if (fact !== undefined) return checkFact(fact, language, use);
  }
  if (node.op === "." && node.args[0].op === "id" && node.args[0].args === "aggregator")
    checkAggregator(node, node.args[1], use);
  if (node.op === "call" || node.op === "rcall") checkCall(node, language, use);
  if (node.op === "/") checkDivision(node, use);
  const inside = node.op === "rcall" && LOOPS.has(node.args[0]) ? loops + 1 : loops;
  if (inside > DEEPEST_LOOPS) {
    report(use, node, "rule/too-deep", `loops nest more than ${DEEPEST_LOOPS} deep`);
    return;
  }
  // The list of a loop is evaluated before the loop, so a loop in there is not nested.
  const range = node.op === "rcall" ? node.args[1] : undefined;
  for (const child of childrenOf(node))
    walk(child, child === range ? loops : inside, language, use);
}

function report(
  use: ExpressionUse,
  range: { readonly start: number; readonly end: number },
  id: string,
  message: string,
  hint?: string,
): void {
  const { start, end } = range;
  use.problems.push({ id, message, start, end, hint });
}

function checkName(node: ASTNode, name: string, language: CelLanguage, use: ExpressionUse): void {
  if (name === "now") use.readsTime = true;
  if (name === language.kind)
    report(
      use,
      node,
      "rule/whole-entity",
      `"${name}" stands alone; an expression reads its facts by name`,
      `for example ${name}.${Object.keys(language.facts)[2] ?? "since"}`,
    );
}

function checkFact(fact: FactSelection, language: CelLanguage, use: ExpressionUse): void {
  if (Object.hasOwn(language.facts, fact.name)) {
    use.reads.add(fact.name);
    if (language.windows.has(fact.name)) use.readsTime = true;
    return;
  }
  report(
    use,
    fact,
    "rule/unknown-fact",
    `unknown fact "${fact.name}" for kind "${language.kind}"`,
    hintFor(fact.name, Object.keys(language.facts)),
  );
}

function checkAggregator(node: ASTNode, name: string, use: ExpressionUse): void {
  const place = { start: node.end - name.length, end: node.end };
  if (name !== "name")
    report(use, place, "rule/unknown-fact", `unknown fact "${name}" of aggregator`, "known: name");
}

function checkCall(
  node: ASTNode & { readonly op: "call" | "rcall" },
  language: CelLanguage,
  use: ExpressionUse,
): void {
  const name = node.args[0];
  const list = node.op === "call" ? node.args[1] : node.args[2];
  const [first] = list;
  const literal = first?.op === "value" && typeof first.args === "string" ? first.args : undefined;
  if (name === "age") use.readsTime = true;
  if (name === "has" && first !== undefined) {
    const fact = factSelection(first, language);
    if (fact !== undefined) use.asked.add(fact.name);
  }
  if (LOOPS.has(name)) checkLoopName(first, language, use);
  if (name === "matches")
    report(
      use,
      node,
      "rule/matches",
      "matches() can hang the process on some texts, and is not available",
      'use re2("pattern"), which takes linear time',
    );
  else {
    const unknown = unknownFunction(node, name);
    if (unknown !== undefined)
      report(use, unknown, "rule/unknown-function", `unknown function "${name}"`, unknown.hint);
  }
  if (name === "re2") checkPattern(node, first, literal, use);
  const kind = READ_FROM_TEXT[name];
  if (kind !== undefined && first !== undefined && literal !== undefined)
    if (literal.length > LONGEST_LITERAL || !evaluates(language, name, literal))
      report(use, first, "rule/bad-literal", `${shortened(literal)} is not a ${name}`, kind);
  const zone = name.startsWith("get") ? literal : undefined;
  if (zone !== undefined && first !== undefined && !isTimeZone(zone))
    report(use, first, "rule/bad-literal", `${shortened(zone)} is not a time zone`, ZONE_HINT);
}

/** CEL divides whole numbers to whole numbers, and facts are doubles, so whoever writes `1/2` means a half. */
function checkDivision(node: ASTNode & { readonly op: "/" }, use: ExpressionUse): void {
  const [above, below] = node.args.map((side) => (isWhole(side) ? constantOf(side) : undefined));
  if (typeof above !== "number" || typeof below !== "number" || above % below === 0) return;
  const isNone = below === 0;
  const gives = isNone ? "has no result" : `is ${Math.trunc(above / below)}`;
  const hint = isNone ? undefined : `write ${above / below}, or ${above}.0 / ${below}`;
  report(
    use,
    node,
    "rule/whole-division",
    `the division of whole numbers ${above} / ${below} ${gives}`,
    hint,
  );
}

function isWhole(node: ASTNode): boolean {
  return node.op === "-_" ? isWhole(node.args) : typeof node.args === "bigint";
}

const READ_FROM_TEXT: Readonly<Record<string, string>> = {
  duration: 'for example "90s" or "1h30m"',
  timestamp: 'for example "2026-01-31T12:00:00Z"',
  int: 'for example int("5")',
  double: 'for example double("0.5")',
  bool: '"true" or "false"',
};
const ZONE_HINT = 'for example "Europe/Berlin"; without it, UTC';

function shortened(literal: string): string {
  return JSON.stringify(literal.length > 40 ? `${literal.slice(0, 40)}…` : literal);
}

/** A loop's variable must not shadow a name that an expression reads. */
function checkLoopName(
  first: ASTNode | undefined,
  language: CelLanguage,
  use: ExpressionUse,
): void {
  if (first?.op !== "id" || ![language.kind, "aggregator", "now"].includes(first.args)) return;
  report(
    use,
    first,
    "rule/taken-name",
    `"${first.args}" is taken, so a loop cannot call its items so`,
    "any other name, such as x",
  );
}

function checkPattern(
  node: ASTNode,
  first: ASTNode | undefined,
  pattern: string | undefined,
  use: ExpressionUse,
): void {
  if (pattern === undefined) {
    report(use, first ?? node, "rule/pattern", "the pattern of re2() must be a text in quotes");
    return;
  }
  try {
    compiledPattern(pattern);
  } catch (error) {
    const reason = messageOf(error);
    report(use, first ?? node, "rule/pattern", `the pattern does not compile: ${reason}`);
  }
}

function evaluates(language: CelLanguage, name: string, literal: string): boolean {
  try {
    language.environment.evaluate(`${name}(${JSON.stringify(literal)})`);
    return name !== "timestamp" || parseInstant(literal) !== undefined;
  } catch {
    return false;
  }
}
