import type { ASTNode } from "@marcbachmann/cel-js";
import type { LintedRule } from "./lint-check.ts";

/** A condition of a rule, as a tree. */
export type RuleCondition = {
  readonly path: readonly string[];
  readonly ast: ASTNode;
};

/** `when`, and `act.if`, if it is written. */
export function conditionsOf({ rule, language }: LintedRule): readonly RuleCondition[] {
  const condition = rule.act?.condition;
  const treeOf = (source: string) => language.environment.parse(source).ast;
  return [
    { path: ["when"], ast: treeOf(rule.when.source) },
    ...(condition === undefined ? [] : [{ path: ["act", "if"], ast: treeOf(condition.source) }]),
  ];
}

/** One part of a condition that is neither "and", "or" nor "not", and whether it must be true. */
export type Literal = { readonly node: ASTNode; readonly positive: boolean };

/** Clauses that hold at once. */
export type Clause = readonly Literal[];

const MOST_CLAUSES = 128;

/**
 * The ways in which a condition can be true (or false, if `positive` is not): one of the clauses,
 * all of it. Undefined if there are too many.
 */
export function clausesOf(node: ASTNode, positive = true): readonly Clause[] | undefined {
  if (node.op === "!_") return clausesOf(node.args, !positive);
  if (node.op === "&&" || node.op === "||") {
    const [left, right] = node.args.map((side) => clausesOf(side, positive));
    return (node.op === "&&") === positive ? both(left, right) : either(left, right);
  }
  if (node.op === "?:") {
    const [condition, then, otherwise] = node.args;
    return either(
      both(clausesOf(condition), clausesOf(then, positive)),
      both(clausesOf(condition, false), clausesOf(otherwise, positive)),
    );
  }
  return [[{ node, positive }]];
}

type Clauses = readonly Clause[] | undefined;

/** Every way in which both can be. */
export function both(left: Clauses, right: Clauses): Clauses {
  if (left === undefined || right === undefined) return undefined;
  if (left.length * right.length > MOST_CLAUSES) return undefined;
  return left.flatMap((one) => right.map((other) => [...one, ...other]));
}

function either(left: Clauses, right: Clauses): Clauses {
  if (left === undefined || right === undefined) return undefined;
  return left.length + right.length > MOST_CLAUSES ? undefined : [...left, ...right];
}

/** The parts of a chain of "and", or of "or". */
export function partsOf(node: ASTNode, operator: "&&" | "||"): readonly ASTNode[] {
  if (node.op !== operator) return [node];
  const [left, right] = node.args;
  return [...partsOf(left, operator), ...partsOf(right, operator)];
}
