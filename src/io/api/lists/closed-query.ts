import { z } from "@hono/zod-openapi";
import { thereIsNo } from "./there-is-no.ts";

/**
 * The same query, but it refuses unknown parameters: if a misspelt filter were ignored, the answer would be about
 * everything, and if a misspelt `at` were, about the present. The message has a line for each.
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

/** The query of a call that takes no parameters. */
export const NO_PARAMETERS = closedQuery(z.object({}));

function problemOf(key: string, known: readonly string[]): string {
  if (known.length === 0) return `there is no parameter "${key}" (it takes none)`;
  return thereIsNo("parameter", key, known);
}
