import type { ASTNode } from "@marcbachmann/cel-js";
import type { Scope } from "../../domain/rule.ts";
import { parseDuration, type Instant, type Millis } from "../../domain/time.ts";
import type { CelLanguage } from "./environment.ts";
import { childrenOf, factSelection } from "./nodes.ts";

/**
 * When time alone may flip a condition. A comparison such as `age(swap.first_seen) > duration("15m")`
 * or `swap.expires < now` is linear in time, so it flips at one instant, which facts and constants
 * give. If every reading of the time is in such a comparison, that is all there is to know.
 */

/** A sum: now and each fact times a factor, and a constant in milliseconds. */
type Linear = {
  readonly now: number;
  readonly facts: ReadonlyMap<string, number>;
  readonly constant: Millis;
};

const COMPARISONS = new Set(["<", "<=", ">", ">=", "==", "!="]);

/** Gives the next instant at which it may flip, or undefined if its text does not say. */
export function flipsOf(
  ast: ASTNode,
  language: CelLanguage,
): ((scope: Pick<Scope, "facts" | "now">) => Instant) | undefined {
  const found = { points: [] as Linear[], isPlain: true };
  gather(ast, language, found);
  if (!found.isPlain) return undefined;
  return (scope) => {
    let next = Infinity;
    for (const point of found.points) {
      const flip = flipAt(point, scope);
      // One of `>` and `>=` flips a millisecond after the other.
      for (const at of [flip, flip + 1]) if (at > scope.now && at < next) next = at;
    }
    return next;
  };
}

/** Not a number if a fact is missing: the entity is judged again when that fact comes. */
function flipAt(point: Linear, { facts }: Pick<Scope, "facts">): Instant {
  let sum = point.constant;
  for (const [name, times] of point.facts) sum += times * Number(facts[name] ?? Number.NaN);
  return Math.ceil(-sum / point.now);
}

function gather(
  node: ASTNode,
  language: CelLanguage,
  found: { readonly points: Linear[]; isPlain: boolean },
): void {
  if (COMPARISONS.has(node.op) && Array.isArray(node.args)) {
    const [left, right] = node.args as [ASTNode, ASTNode];
    const difference = add(linearOf(left, language), linearOf(right, language), -1);
    if (difference !== undefined) {
      if (difference.now !== 0) found.points.push(difference);
      return;
    }
  }
  if (readsTime(node)) found.isPlain = false;
  for (const child of childrenOf(node)) gather(child, language, found);
}

function readsTime(node: ASTNode): boolean {
  return (
    (node.op === "id" && node.args === "now") || (node.op === "call" && node.args[0] === "age")
  );
}

/** An expression of timestamps and durations as a sum, or undefined if it is no such sum. */
function linearOf(node: ASTNode, language: CelLanguage): Linear | undefined {
  if (node.op === "id" && node.args === "now") return { ...NOTHING, now: 1 };
  if (node.op === "+" || node.op === "-") {
    const [left, right] = node.args;
    const sign = node.op === "+" ? 1 : -1;
    return add(linearOf(left, language), linearOf(right, language), sign);
  }
  if (node.op === ".") return factOf(node, language);
  if (node.op !== "call") return undefined;
  const [name, list] = node.args;
  const [argument] = list;
  if (argument === undefined || list.length !== 1) return undefined;
  if (name === "age") return add({ ...NOTHING, now: 1 }, linearOf(argument, language), -1);
  if (argument.op !== "value" || typeof argument.args !== "string") return undefined;
  if (name === "duration") return constantOf(parseDuration(argument.args));
  if (name === "timestamp") return constantOf(Date.parse(argument.args));
  return undefined;
}

const NOTHING: Linear = { now: 0, facts: new Map(), constant: 0 };

function constantOf(value: number | undefined): Linear | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : { ...NOTHING, constant: value };
}

function factOf(node: ASTNode, language: CelLanguage): Linear | undefined {
  const { name = "" } = factSelection(node, language) ?? {};
  if (language.facts[name]?.type !== "timestamp") return undefined;
  return { ...NOTHING, facts: new Map([[name, 1]]) };
}

function add(one: Linear | undefined, other: Linear | undefined, sign: 1 | -1): Linear | undefined {
  if (one === undefined || other === undefined) return undefined;
  const facts = new Map(one.facts);
  for (const [name, times] of other.facts) facts.set(name, (facts.get(name) ?? 0) + sign * times);
  return {
    now: one.now + sign * other.now,
    facts,
    constant: one.constant + sign * other.constant,
  };
}
