import type { YamlPath } from "./yaml-source.ts";

/** Plain values as YAML gives them: mappings and lists of such. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is at a path; undefined if nothing is. */
export function valueAt(input: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    input,
  );
}

/** Puts a value at a path, and makes what is missing on the way. The path comes from the schema, never from a user. */
export function putAt(input: Record<string, unknown>, path: YamlPath, value: unknown): void {
  let container: Record<string | number, unknown> = input;
  for (const [index, step] of path.slice(0, -1).entries()) {
    let next: unknown = container[step];
    if (typeof next !== "object" || next === null)
      container[step] = next = typeof path[index + 1] === "number" ? [] : {};
    container = next as Record<string | number, unknown>;
  }
  const last = path.at(-1);
  if (last !== undefined) container[last] = value;
}
