import type { ASTNode } from "@marcbachmann/cel-js";
import type { FactDefinition } from "../../domain/entity.ts";
import type { CelLanguage } from "../cel/environment.ts";
import { factSelection } from "../cel/nodes.ts";

/** Something in a condition that has one value at a time, and what is known of that value. */
export type Quantity = {
  /** As people write it: `pool.base`, `age(swap.first_seen)`. */
  readonly name: string;
  readonly least?: number;
  readonly values?: readonly string[];
};

/** A fact, the age of one, or the length of one; undefined for all else. */
export function quantityOf(node: ASTNode, language: CelLanguage): Quantity | undefined {
  const fact = factOf(node, language);
  if (fact !== undefined) return { ...limitsOf(fact.definition), name: fact.name };
  if (node.op === "call" && node.args[1].length === 1) {
    const [name, [argument]] = node.args;
    const inner = argument === undefined ? undefined : factOf(argument, language);
    if (inner === undefined) return undefined;
    if (name === "age") return ageOf(inner);
    if (name === "size") return { name: `size(${inner.name})`, least: 0 };
  }
  if (node.op === "-") {
    const [left, right] = node.args;
    const inner = factOf(right, language);
    if (left.op === "id" && left.args === "now" && inner !== undefined) return ageOf(inner);
  }
  return undefined;
}

type Fact = { readonly name: string; readonly definition: FactDefinition };

function factOf(node: ASTNode, language: CelLanguage): Fact | undefined {
  const selection = factSelection(node, language);
  const definition = selection && language.facts[selection.name];
  if (selection === undefined || definition === undefined) return undefined;
  return { name: `${language.kind}.${selection.name}`, definition };
}

function ageOf({ name, definition }: Fact): Quantity {
  return { name: `age(${name})`, ...(definition.past === true ? { least: 0 } : {}) };
}

const TRUTHS = ["true", "false"];

function limitsOf({ type, values, least }: FactDefinition): Omit<Quantity, "name"> {
  if (type === "bool") return { values: TRUTHS };
  if (type === "double") return least === undefined ? {} : { least };
  return values === undefined ? {} : { values };
}
