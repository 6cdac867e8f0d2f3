import type { ASTNode } from "@marcbachmann/cel-js";
import { parseDuration } from "../../domain/time.ts";

/** The nodes of an expression, as the checks and the guards walk over them. */

/** Where a fact of the entity is read: `exchange.status` or `exchange["status"]`. */
export type FactSelection = { readonly name: string; readonly start: number; readonly end: number };

export function factSelection(
  node: ASTNode,
  language: { readonly kind: string },
): FactSelection | undefined {
  if (node.op !== "." && node.op !== "[]") return undefined;
  const [target, field] = node.args;
  if (target.op !== "id" || target.args !== language.kind) return undefined;
  if (typeof field === "string")
    return { name: field, start: node.end - field.length, end: node.end };
  if (field.op === "value" && typeof field.args === "string")
    return { name: field.args, start: field.start, end: field.end };
  return undefined;
}

export function childrenOf(node: ASTNode): ASTNode[] {
  const found: ASTNode[] = [];
  const gather = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) gather(item);
    else if (typeof value === "object" && value !== null && "op" in value && "args" in value)
      found.push(value as ASTNode);
  };
  if (node.op !== "value") gather(node.args);
  return found;
}

/** A text, a number or a length of time (in milliseconds) that is written out. */
export function constantOf(node: ASTNode): string | number | undefined {
  if (node.op === "-_") {
    const inner = constantOf(node.args);
    return typeof inner === "number" ? -inner : undefined;
  }
  if (node.op === "call" && node.args[0] === "duration") {
    const [argument] = node.args[1];
    const text = argument?.op === "value" ? argument.args : undefined;
    return typeof text === "string" ? parseDuration(text) : undefined;
  }
  if (node.op !== "value") return undefined;
  const value = node.args;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
