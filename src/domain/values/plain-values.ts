import type { Json } from "../result.ts";

/** Plain values as JSON and YAML give them: mappings and lists of such. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Path = readonly PropertyKey[];

/** What is at a path; undefined if nothing is. */
export function valueAt(input: Json | undefined, path: Path): Json | undefined;
export function valueAt(input: unknown, path: Path): unknown;
export function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    // The `length` of a list is not in it.
    if (Array.isArray(value) && typeof step === "string") return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

/**
 * Puts a value at a path, and makes what is missing on the way; nothing if a plain value is in the way, as that has a
 * problem, and must not get lost. The path comes from the schema, never from a user.
 */
export function putAt(
  input: Record<string, unknown>,
  path: ReadonlyArray<string | number>,
  value: unknown,
): void {
  let container: Record<string | number, unknown> = input;
  for (const [index, step] of path.slice(0, -1).entries()) {
    let next: unknown = container[step];
    next ??= container[step] = typeof path[index + 1] === "number" ? [] : {};
    if (typeof next !== "object" || next === null) return;
    container = next as Record<string | number, unknown>;
  }
  const last = path.at(-1);
  if (last !== undefined) container[last] = value;
}

/** The list at a path; empty if there is none. */
export function listAt(value: unknown, path: Path): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}
