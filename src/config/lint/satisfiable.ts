import type { CelLanguage } from "../cel/environment.ts";
import type { Clause, Literal } from "./clauses.ts";
import { constantOf } from "../cel/nodes.ts";
import { quantityOf, type Quantity } from "./quantity.ts";

/** What a literal asks of one quantity. */
type Demand =
  | {
      readonly quantity: Quantity;
      readonly type: "word";
      /** The words that it names; any other word is like any other. */
      readonly only?: readonly string[];
      readonly allows: (word: string) => boolean;
    }
  | {
      readonly quantity: Quantity;
      readonly type: "number";
      readonly operator: Operator;
      readonly limit: number;
    };

type Operator = "<" | "<=" | ">" | ">=" | "==" | "!=";

const NEGATED = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==" } as const;
const MIRRORED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=" } as const;

/**
 * The quantity of which no value fits all that a clause asks; undefined if the clause can be true,
 * as far as is known. What is not understood is taken as something that can be true.
 */
export function contradictionIn(clause: Clause, language: CelLanguage): string | undefined {
  const demands = new Map<string, Demand[]>();
  for (const literal of clause) {
    const constant = literal.node.op === "value" ? literal.node.args : undefined;
    if (typeof constant === "boolean" && constant !== literal.positive) return String(constant);
    const demand = demandOf(literal, language);
    if (demand === undefined) continue;
    const list = demands.get(demand.quantity.name) ?? [];
    demands.set(demand.quantity.name, [...list, demand]);
  }
  for (const [name, list] of demands) if (!someNumber(list) || !someWord(list)) return name;
  return undefined;
}

function someWord(demands: readonly Demand[]): boolean {
  const words = demands.filter((demand) => demand.type === "word");
  const candidates = words[0]?.quantity.values ?? words.find(({ only }) => only)?.only;
  if (candidates === undefined) return true;
  return candidates.some((word) => words.every(({ allows }) => allows(word)));
}

/** Facts are doubles, so between two limits that differ there is always one more. */
function someNumber(demands: readonly Demand[]): boolean {
  const numbers = demands.filter((demand) => demand.type === "number");
  let low = { at: numbers[0]?.quantity.least ?? -Infinity, open: false };
  let high = { at: Infinity, open: false };
  for (const { operator, limit } of numbers) {
    const open = operator === "<" || operator === ">";
    if (operator === ">" || operator === ">=" || operator === "==")
      if (limit > low.at || (limit === low.at && open)) low = { at: limit, open };
    if (operator === "<" || operator === "<=" || operator === "==")
      if (limit < high.at || (limit === high.at && open)) high = { at: limit, open };
  }
  if (low.at > high.at || (low.at === high.at && (low.open || high.open))) return false;
  const excluded = numbers.filter(({ operator }) => operator === "!=").map(({ limit }) => limit);
  return low.at !== high.at || !excluded.includes(low.at);
}

function demandOf(literal: Literal, language: CelLanguage): Demand | undefined {
  const { node, positive } = literal;
  const itself = quantityOf(node, language);
  if (itself !== undefined) return wordDemand(itself, ["true"], positive);
  if (node.op === "in") {
    const [item, list] = node.args;
    const quantity = quantityOf(item, language);
    if (quantity === undefined || list.op !== "list") return undefined;
    const words = list.args.map(constantOf).filter((word) => typeof word === "string");
    return words.length === list.args.length ? wordDemand(quantity, words, positive) : undefined;
  }
  return affixDemand(literal, language) ?? comparisonDemand(literal, language);
}

function comparisonDemand({ node, positive }: Literal, language: CelLanguage): Demand | undefined {
  const { op: operator } = node;
  if (!isComparison(operator)) return undefined;
  const [left, right] = node.args as [Literal["node"], Literal["node"]];
  const isMirrored = quantityOf(left, language) === undefined;
  const quantity = quantityOf(isMirrored ? right : left, language);
  const constant = constantOf(isMirrored ? left : right);
  if (quantity === undefined || constant === undefined) return undefined;
  const mirrored = isMirrored ? MIRRORED[operator] : operator;
  const asked = positive ? mirrored : NEGATED[mirrored];
  if (typeof constant === "number")
    return { quantity, type: "number", operator: asked, limit: constant };
  if (asked !== "==" && asked !== "!=") return undefined;
  return wordDemand(quantity, [constant], asked === "==");
}

function affixDemand({ node, positive }: Literal, language: CelLanguage): Demand | undefined {
  if (node.op !== "rcall") return undefined;
  const [name, receiver, [argument]] = node.args;
  const quantity = quantityOf(receiver, language);
  const affix = argument === undefined ? undefined : constantOf(argument);
  if (quantity === undefined || typeof affix !== "string") return undefined;
  const tests: Readonly<Record<string, (word: string) => boolean>> = {
    startsWith: (word) => word.startsWith(affix),
    endsWith: (word) => word.endsWith(affix),
    contains: (word) => word.includes(affix),
  };
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
  if (test === undefined) return undefined;
  return { quantity, type: "word", allows: (word) => test(word) === positive };
}

function wordDemand(quantity: Quantity, words: readonly string[], positive: boolean): Demand {
  const allows = (word: string) => words.includes(word) === positive;
  return { quantity, type: "word", allows, ...(positive ? { only: words } : {}) };
}

function isComparison(operator: string): operator is Operator {
  return Object.hasOwn(NEGATED, operator);
}
