import { isAbsolute, join } from "node:path";
import type { z } from "zod";
import { elementOf, formOf, shapeOf } from "../../schema/walk.ts";

/**
 * A copy of what was read from a file in which every path starts at that file's directory. A path from
 * a flag, from a variable or from a default starts at the working directory, and never comes here.
 */
export function anchorPaths(schema: z.ZodType, value: unknown, directory: string): unknown {
  if (typeof value === "string") {
    const isRelative = formOf(schema) === "path" && value !== "" && !isAbsolute(value);
    return isRelative ? join(directory, value) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const element = elementOf(schema);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item) => (element ? anchorPaths(element, item, directory) : item));
  }
  const shape = shapeOf(schema) ?? {};
  const anchored = ([key, item]: [string, unknown]): [string, unknown] => {
    const inner = Object.hasOwn(shape, key) ? shape[key] : element;
    return [key, inner === undefined ? item : anchorPaths(inner, item, directory)];
  };
  return Object.fromEntries(Object.entries(value).map(anchored));
}
