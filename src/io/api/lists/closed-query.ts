import { z } from "@hono/zod-openapi";
import { thereIsNo } from "./there-is-no.ts";

/**
 * The same query, which refuses a parameter that it does not have: if a misspelt filter were left out, the answer would
 * be of everything; and if an instant were, of the present.
 */
export function closedQuery<Shape extends z.core.$ZodShape>({ shape }: z.ZodObject<Shape>) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => thereIsNo("parameter", key, known)).join("; ")
        : undefined,
  });
}
