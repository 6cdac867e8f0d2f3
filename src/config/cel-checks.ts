import type { ASTNode } from "@marcbachmann/cel-js";
import type { CelLanguage } from "./cel-environment.ts";
import { compiledPattern } from "./cel-environment.ts";
import { suggestionHint } from "./suggest.ts";

/** What is wrong within an expression; the offsets are those of the expression's own text. */
export type ExpressionProblem = {
  readonly id: string;
  readonly message: string;
  readonly hint?: string;
  readonly start: number;
  readonly end: number;
};

/** What the walk over an expression finds. */
export type ExpressionUse = {
  readonly problems: ExpressionProblem[];
  readonly reads: Set<string>;
  readsTime: boolean;
};

const LOOPS = new Set(["all", "exists", "exists_one", "map", "filter", "bind"]);
const DEEPEST_LOOPS = 2;

/**
 * Walks an expression before its types are checked, for what the type checker lets pass: facts in
 * `has()`, literal arguments that never work, computed fact names, `matches`, and nested loops.
 */
export function walkExpression(ast: ASTNode, language: CelLanguage): ExpressionUse {
  const use: ExpressionUse = { problems: [], reads: new Set(), readsTime: false };
  walk(ast, 0, language, use);
  return use;
}

function walk(node: ASTNode, loops: number, language: CelLanguage, use: ExpressionUse): void {
  if (node.op === "id") return lookAtName(node, node.args, language, use);
  if (node.op === "." || node.op === "[]") {
    const fact = factSelection(node, language);
    if (fact !== undefined) return lookAtFact(fact, language, use);
  }
  if (node.op === "call" || node.op === "rcall") lookAtCall(node, language, use);
  const inside = node.op === "rcall" && LOOPS.has(node.args[0]) ? loops + 1 : loops;
  if (inside > DEEPEST_LOOPS) {
    report(use, node, "rule/too-deep", `loops nest more than ${DEEPEST_LOOPS} deep`);
    return;
  }
  for (const child of childrenOf(node)) walk(child, inside, language, use);
}

function report(
  use: ExpressionUse,
  range: { readonly start: number; readonly end: number },
  id: string,
  message: string,
  hint?: string,
): void {
  const { start, end } = range;
  use.problems.push({ id, message, start, end, ...(hint === undefined ? {} : { hint }) });
}

function lookAtName(node: ASTNode, name: string, language: CelLanguage, use: ExpressionUse): void {
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

type FactSelection = { readonly name: string; readonly start: number; readonly end: number };

/** `exchange.status` and `exchange["status"]` are readings of a fact. */
function factSelection(node: ASTNode, language: CelLanguage): FactSelection | undefined {
  if (node.op !== "." && node.op !== "[]") return undefined;
  const [target, field] = node.args;
  if (target.op !== "id" || target.args !== language.kind) return undefined;
  if (typeof field === "string")
    return { name: field, start: node.end - field.length, end: node.end };
  if (field.op === "value" && typeof field.args === "string")
    return { name: field.args, start: field.start, end: field.end };
  return undefined;
}

function lookAtFact(fact: FactSelection, language: CelLanguage, use: ExpressionUse): void {
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
    suggestionHint(fact.name, Object.keys(language.facts)),
  );
}

function lookAtCall(
  node: ASTNode & { readonly op: "call" | "rcall" },
  language: CelLanguage,
  use: ExpressionUse,
): void {
  const name = node.args[0];
  const list = node.op === "call" ? node.args[1] : node.args[2];
  const [first] = list;
  const literal = first?.op === "value" && typeof first.args === "string" ? first.args : undefined;
  if (name === "age") use.readsTime = true;
  if (name === "matches")
    report(
      use,
      node,
      "rule/matches",
      "matches() can hang the process on some texts, and is not available",
      'use re2("pattern"), which takes linear time',
    );
  if (name === "re2") checkPattern(node, first, literal, use);
  if ((name === "duration" || name === "timestamp") && first !== undefined && literal !== undefined)
    if (!evaluates(language, `${name}(${JSON.stringify(literal)})`))
      report(
        use,
        first,
        "rule/bad-literal",
        `${JSON.stringify(literal)} is not a ${name}`,
        name === "duration" ? 'for example "90s" or "1h30m"' : 'for example "2026-01-31T12:00:00Z"',
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
    const reason = error instanceof Error ? error.message : String(error);
    report(use, first ?? node, "rule/pattern", `the pattern does not compile: ${reason}`);
  }
}

function evaluates(language: CelLanguage, expression: string): boolean {
  try {
    language.environment.evaluate(expression);
    return true;
  } catch {
    return false;
  }
}

function childrenOf(node: ASTNode): ASTNode[] {
  const found: ASTNode[] = [];
  const gather = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) gather(item);
    else if (typeof value === "object" && value !== null && "op" in value && "args" in value)
      found.push(value as ASTNode);
  };
  if (node.op !== "value") gather(node.args);
  return found;
}
