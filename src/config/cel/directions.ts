import type { ASTNode } from "@marcbachmann/cel-js";
import type { CelLanguage } from "./environment.ts";
import { childrenOf, constantOf, factSelection } from "./nodes.ts";

/**
 * Which way an expression moves if a windowed fact grows: a number grows or falls, a condition can only become
 * true or only become false. With that, what is sure of a window that was only partly seen (its highest value
 * is at least the highest that was seen) may decide a condition, whatever the rest of the window was:
 * `pool.base < 0.5 * pool.base_1h_max` can only become true by more that is seen.
 *
 * It works for comparisons, `&&`, `||`, `!`, sums, and products with a constant. For a windowed fact in anything
 * else, the direction is not known, and its bound decides nothing.
 */
export type Direction = "grows" | "falls" | "either";

/** The directions by the names of the windowed facts. */
export type Directions = ReadonlyMap<string, Direction>;

const OPPOSITE = { grows: "falls", falls: "grows", either: "either" } as const;
const NOTHING: Directions = new Map();

export function directionsOf(node: ASTNode, language: CelLanguage): Directions {
  const fact = factSelection(node, language);
  if (fact !== undefined)
    return language.windows.has(fact.name) ? new Map([[fact.name, "grows"]]) : NOTHING;
  // Each part is examined once, as a deep expression would take forever otherwise.
  const parts = childrenOf(node).map((child) => directionsOf(child, language));
  const [first = NOTHING, second = NOTHING, third = NOTHING] = parts;
  const { op } = node;
  if (op === "&&" || op === "||" || op === "+") return both(first, second);
  if (op === ">" || op === ">=" || op === "-") return both(first, opposite(second));
  if (op === "<" || op === "<=") return both(opposite(first), second);
  if (op === "!_" || op === "-_") return opposite(first);
  if (op === "?:" && first.size === 0) return both(second, third);
  if (op === "*" || op === "/") {
    const [left, right] = node.args;
    const swapped = op === "*" ? times(second, left) : undefined;
    return times(first, right) ?? swapped ?? either(parts);
  }
  return either(parts);
}

/** The direction of a product with a constant; undefined if no factor is constant, or it is 0. */
function times(directions: Directions, factor: ASTNode): Directions | undefined {
  const constant = constantOf(factor);
  if (typeof constant !== "number" || constant === 0) return undefined;
  return constant > 0 ? directions : opposite(directions);
}

function both(one: Directions, other: Directions): Directions {
  const all = new Map(one);
  for (const [name, direction] of other)
    all.set(name, (all.get(name) ?? direction) === direction ? direction : "either");
  return all;
}

function opposite(directions: Directions): Directions {
  return new Map([...directions].map(([name, direction]) => [name, OPPOSITE[direction]]));
}

function either(parts: readonly Directions[]): Directions {
  return new Map(parts.flatMap((part) => [...part.keys()].map((name) => [name, "either"])));
}
