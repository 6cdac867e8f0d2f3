import type { ASTNode } from "@marcbachmann/cel-js";
import { Duration } from "@marcbachmann/cel-js/evaluator";
import { compiledPattern, type CelLanguage } from "./environment.ts";
import {
  charge,
  chargeValue,
  lengthOf,
  limitLength,
  LONGEST_LITERAL,
  NO_INSTANT,
  NO_NUMBER,
  TOO_LONG_TO_READ,
  type Meter,
} from "./meter.ts";
import { childrenOf, factSelection } from "./nodes.ts";

/**
 * Puts guards around the parts of a checked expression that can cost much, and a short way to its
 * facts. The library has neither a cost limit nor a cheap error, so this reaches into the nodes that
 * it evaluates: the names below are of the one version that is pinned, and a missing one is a bug
 * that is thrown when a rule loads.
 */
export function guardExpression(ast: ASTNode, language: CelLanguage): void {
  const node = ast as LiveNode;
  const fact = factSelection(node, language);
  if (fact !== undefined) {
    node.evaluate = () => language.scope.read(fact.name);
    return;
  }
  for (const child of childrenOf(node)) guardExpression(child, language);
  const { meter } = language.scope;
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) {
    if (node.op === "rcall") guardLoop(alternate, node, meter);
    return;
  }
  if (macro !== undefined) return;
  if (node.op === "call" || node.op === "rcall") guardCall(node, node.args[0], meter);
  else if (SIZED.has(node.op) || node.op === "-") guardOperator(node, meter);
  else if (node.op === "/" || node.op === "*") wrap(node, (_first, rest) => number(rest()));
}

type Handle = (first: unknown, second: unknown, third: unknown, fourth: unknown) => unknown;

/** What the library's type checker leaves on a node. */
type LiveNode = ASTNode & {
  evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown;
  handle?: Handle;
  readonly checkedType?: { readonly name: string; readonly kind: string };
  readonly meta: { readonly alternate?: LiveNode; readonly macro?: unknown };
};

const SIZED = new Set(["+", "==", "!=", "in"]);

/** Every round of a loop is paid for before the first one. */
function guardLoop(loop: LiveNode, node: LiveNode & { readonly op: "rcall" }, meter: Meter): void {
  const cost = node.args[2].reduce((sum, child) => sum + nodeCost(child), 1);
  wrap(loop, (items, rest) => {
    const length = Array.isArray(items) ? items.length : Object.keys(Object(items)).length;
    charge(meter, 1 + length * cost);
    return rest();
  });
}

/** The library's own errors are expensive, and `exists` goes on after one. */
const COST_OF_AN_ERROR = 50;
const MAY_FAIL = new Set(["call", "rcall", "[]", "/", "%", "*", "+", "-"]);

function nodeCost(node: ASTNode): number {
  const own = MAY_FAIL.has(node.op) ? COST_OF_AN_ERROR : 1;
  return childrenOf(node).reduce((cost, child) => cost + nodeCost(child), own);
}

const READERS = new Set(["duration", "timestamp", "int", "double", "bool"]);
const COST_OF_A_TIME_ZONE = 2_000;

function guardCall(node: LiveNode, name: string, meter: Meter): void {
  wrap(node, (given, rest) => {
    const values: readonly unknown[] = Array.isArray(given) ? given : [];
    for (const value of values) chargeValue(meter, value);
    const [first, second] = values;
    if (READERS.has(name) && typeof first === "string" && first.length > LONGEST_LITERAL)
      throw TOO_LONG_TO_READ;
    if (name === "re2") chargePattern(meter, first, second);
    if (first instanceof Date && values.length > 1) charge(meter, COST_OF_A_TIME_ZONE);
    if (name === "join" && Array.isArray(first)) limitLength("text", joinedLength(first, second));
    if (name === "split") limitLength("list", lengthOf(first));
    const inCase = typeof first === "string" ? ASCII_CASES[name]?.(first) : undefined;
    const result = inCase ?? rest();
    chargeValue(meter, result);
    return number(result);
  });
}

/** Every comparison with what is no number is false, so a condition on it would be ok, and its negation bad. */
function number(result: unknown): unknown {
  if (typeof result === "number" && Number.isNaN(result)) throw NO_NUMBER;
  return result;
}

/** The library's own change other letters too: the Kelvin sign becomes a k. */
const ASCII_CASES: Readonly<Record<string, (text: string) => string>> = {
  lowerAscii: (text) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  upperAscii: (text) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
};

function chargePattern(meter: Meter, text: unknown, pattern: unknown): void {
  if (typeof text === "string" && typeof pattern === "string")
    charge(meter, (text.length * compiledPattern(pattern).programSize()) >> 4);
}

function joinedLength(items: readonly unknown[], separator: unknown): number {
  return items.reduce<number>((sum, item) => sum + lengthOf(item) + lengthOf(separator), 0);
}

/** Comparing lists reads everything in them; adding makes something longer. */
function guardOperator(node: LiveNode, meter: Meter): void {
  const adds = node.op === "+" || node.op === "-";
  wrap(node, (left, rest, right) => {
    if (typeof left === "object" || typeof right === "object" || typeof left === "string") {
      chargeValue(meter, left);
      chargeValue(meter, right);
      if (adds)
        limitLength(typeof left === "string" ? "text" : "list", lengthOf(left) + lengthOf(right));
    }
    // The library's own sum is wrong by a second if a fraction of a second in it is negative.
    if (adds && left instanceof Duration && right instanceof Duration) {
      const added = node.op === "+" ? right.valueOf() : -right.valueOf();
      return Duration.fromMilliseconds(left.valueOf() + added);
    }
    const result = rest();
    if (result instanceof Date && Number.isNaN(result.getTime())) throw NO_INSTANT;
    return number(result);
  });
}

function wrap(
  node: LiveNode,
  around: (first: unknown, rest: () => unknown, second: unknown) => unknown,
): void {
  const { handle } = node;
  if (handle === undefined) throw new Error(`the node "${node.op}" of an expression has no handle`);
  node.handle = (first, second, third, fourth) =>
    around(first, () => handle(first, second, third, fourth), second);
}
