import { z } from "@hono/zod-openapi";
import { thereIsNo } from "./there-is-no.ts";

/**
 * The same query, which refuses a parameter that it does not have: if a misspelt filter were left out, the answer would
 * be of everything; and if an instant were, of the present. The message has a line for each.
 */
export function closedQuery<Shape extends z.core.$ZodShape>({ shape }: z.ZodObject<Shape>) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => problemOf(key, known)).join("\n")
        : undefined,
  });
}

function problemOf(key: string, known: readonly string[]): string {
  if (known.length === 0) return `there is no parameter "${key}" (it takes none)`;
  return thereIsNo("parameter", key, known);
}
