import { LONG_LIST } from "../../domain/lists/changed-items.ts";
import type { Json } from "../../domain/result.ts";

/** Lists may stand in so many objects: `{ data: { pairs: [] } }`. */
const DEEPEST_LIST = 3;

/**
 * Puts the objects of the body before in the place of those that are equal, in every long list of this one. What was
 * made of an item that is as before is then known, as decoding is by the item alone; what differs in anything is decoded.
 */
export function shareItems(before: Json | undefined, now: Json, depth = 0): void {
  if (!isObject(before) || !isObject(now)) return;
  if (Array.isArray(before) && Array.isArray(now)) {
    if (now.length >= LONG_LIST) shareList(before as readonly Json[], now as Json[]);
    return;
  }
  if (Array.isArray(before) || Array.isArray(now) || depth === DEEPEST_LIST) return;
  for (const key of Object.keys(now))
    if (Object.hasOwn(before, key)) shareItems(before[key], now[key] as Json, depth + 1);
}

/** Both lists are gone through together; one item that has gone, or come, does not put them out of step. */
function shareList(before: readonly Json[], now: Json[]): void {
  let next = 0;
  for (const [index, item] of now.entries()) {
    if (
      isObject(before[next + 1]) &&
      !isEqual(before[next], item) &&
      isEqual(before[next + 1], item)
    )
      next += 1;
    const known = before[next];
    if (isObject(known) && isEqual(known, item)) now[index] = known;
    // The item is new, and the known one follows.
    else if (index + 1 < now.length && isEqual(known, now[index + 1])) continue;
    next += 1;
  }
}

type JsonObject = Readonly<Record<string, Json>>;

function isObject(value: Json | undefined): value is JsonObject & Json {
  return typeof value === "object" && value !== null;
}

/** The same JSON. Keys may stand in another order, and `-0` is not 0. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
    return false;
  const left: JsonObject = one;
  const right: JsonObject = other;
  let count = 0;
  for (const key in left) {
    if (!Object.hasOwn(right, key) || !isEqual(left[key], right[key])) return false;
    count += 1;
  }
  for (const _ in right) count -= 1;
  return count === 0;
}
