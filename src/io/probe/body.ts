import { isRecord } from "../../domain/values/plain-values.ts";
import { haveSameItems } from "../../domain/values/same-items.ts";
import type { Json } from "../../domain/result.ts";

/** Walks over the body of a reply. */

export type Place = { readonly path: readonly string[]; readonly value: Json };

const MOST_PLACES = 24;
const DEEPEST = 3;

/** The objects and lists of a body, the outer ones first. */
export function placesOf(body: Json): readonly Place[] {
  const places: Place[] = [{ path: [], value: body }];
  // The loop also visits the places that it appends.
  for (const { path, value } of places) {
    if (places.length >= MOST_PLACES) break;
    if (path.length === DEEPEST || !isRecord(value)) continue;
    for (const [key, inner] of Object.entries(value).slice(0, MOST_PLACES)) {
      // JSONata has no way to write a backquote in a name.
      if (typeof inner === "object" && inner !== null && !key.includes("`"))
        places.push({ path: [...path, key], value: inner });
    }
  }
  return places.slice(0, MOST_PLACES);
}

/** The body as it was while its lists were empty. */
export function emptied(body: Json, depth = 0): Json {
  if (Array.isArray(body)) return [];
  if (!isRecord(body) || depth === DEEPEST) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, inner]) => [key, emptied(inner, depth + 1)]),
  );
}

/** The paths to the plain values of records, each once, down to three keys. */
export function leavesOf(entries: readonly Json[]): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  const walk = (value: Json, path: readonly string[]): void => {
    if (isRecord(value)) {
      if (path.length < DEEPEST)
        for (const [key, inner] of Object.entries(value).slice(0, MOST_LEAVES))
          if (!key.includes("`")) walk(inner, [...path, key]);
    } else if (path.length > 0 && found.size < MOST_LEAVES) found.set(path.join("\n"), path);
  };
  for (const entry of entries) walk(entry, []);
  return [...found.values()];
}

const MOST_LEAVES = 64;

/** The entries of a value in the default shape; those of an object of lists each with the name of its list. */
export function entriesOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isRecord(value)) return [value];
  const lists = Object.entries(value).filter(([, inner]) => Array.isArray(inner));
  if (lists.length === 0) return [value];
  return lists.flatMap(([key, inner]) =>
    (inner as readonly Json[]).map((entry): Json => [key, entry]),
  );
}

/** Keys of objects that describe the data, and list nothing themselves. */
const AROUND =
  /^(?:meta|metadata|pagination|paging|paginator|page|pageinfo|links|_links|cursors?)$/i;

/**
 * The lists of a body that are neither in one of `used`, nor around it. An object of records may be a list by name.
 * Lists with fewer entries than `least` do not count.
 */
export function otherLists(
  body: Json,
  used: readonly (readonly string[])[],
  least: number,
): readonly { readonly path: readonly string[]; readonly entries: number }[] {
  const isUsed = (path: readonly string[]): boolean => used.some((one) => haveSameItems(one, path));
  const found: { readonly path: readonly string[]; readonly entries: number }[] = [];
  const walk = (value: Json, path: readonly string[]): void => {
    if (isUsed(path) || path.length > MOST_DEPTH) return;
    if (Array.isArray(value)) {
      if (value.length >= least) found.push({ path, entries: value.length });
      return;
    }
    if (!isRecord(value)) return;
    const leadsToUsed = used.some((one) => path.every((key, at) => key === one[at]));
    const inner = Object.values(value);
    if (!leadsToUsed && inner.length > 0 && inner.every(isRecord)) {
      found.push({ path, entries: inner.length });
      return;
    }
    for (const [key, one] of Object.entries(value))
      if (leadsToUsed ? !AROUND.test(key) : true) walk(one, [...path, key]);
  };
  walk(body, []);
  return found;
}

const MOST_DEPTH = 6;
