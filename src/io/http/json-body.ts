import type { FailureReason } from "../../domain/http.ts";
import { DEEPEST_JSON } from "../../domain/values/json-text.ts";
import type { Json, Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import { restoreItems, type BodyItems } from "./json-items.ts";
import { scanBody } from "./json-scan.ts";

type Problem = { readonly reason: FailureReason; readonly message: string };

type Parsed = Result<Json, Problem> & {
  /** An object of the body has a key twice; the parser silently kept the last value. */
  readonly isAmbiguous?: boolean;
  /** The items of a long body, with which the next one is parsed faster. */
  readonly items?: BodyItems | undefined;
};

/** 2^53 has sixteen digits: if no number has as many, all whole ones are exact. A match in a text only costs time. */
const LONG_NUMBER = /(?:^|[:,[\s-])\d{16}/;

/** A whole number that a double cannot hold exactly becomes its text, because an id may be such a number. */
function exactly(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}

/**
 * Parses a body, or says in one line what it is instead. Depth is checked before parsing. A whole number beyond 2^53
 * becomes its own text, so that it is read like a numeric text: exactly, or not at all. An item with the same text as
 * in the body before is the same object again, and only the rest is parsed.
 */
export function parseJsonBody(body: string, before?: BodyItems): Parsed {
  const { deepest, keys, rest, lists } = scanBody(body, before);
  if (deepest > DEEPEST_JSON)
    return fail({ reason: "too_large", message: `JSON nested deeper than ${DEEPEST_JSON} levels` });
  try {
    const value = JSON.parse(rest, LONG_NUMBER.test(rest) ? exactly : undefined) as Json;
    const isAmbiguous = hasDuplicateKey(value, keys);
    const items = restoreItems(body, value, lists);
    return { ...succeed(value), isAmbiguous, items: isAmbiguous ? undefined : items };
  } catch {
    // The engine's message repeats pieces of the body; the start of the body says more, and is bounded.
    const start = body
      .trimStart()
      .slice(0, 60)
      .replace(/\p{Cc}/gu, " ");
    const what = start === "" ? "an empty body" : `a body of ${body.length} characters: ${start}`;
    return fail({ reason: "malformed", message: `not JSON, but ${what}` });
  }
}

/** A value that was made of a body, in which an item with the same text as before is the same object again. */
export function shareItems(
  value: Json,
  before: BodyItems | undefined,
): { readonly value: Json; readonly items?: BodyItems | undefined } {
  const text = JSON.stringify(value);
  const { deepest, rest, lists } = scanBody(text, before);
  if (deepest > DEEPEST_JSON) return { value };
  const shared = JSON.parse(rest) as Json;
  return { value: shared, items: restoreItems(text, shared, lists) };
}

/**
 * Whether an object of the body has a key twice: then the body has more keys than its parsed value, in which the last
 * one wins. The scan for the depth counts the body's keys for free; the value is walked only if there are any.
 */
function hasDuplicateKey(value: Json, keys: number): boolean {
  return keys > 0 && keys !== countKeys(value);
}

function countKeys(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) count += countKeys(item);
    return count;
  }
  const fields = value as Readonly<Record<string, Json>>;
  // A parsed object has only own keys, so `in` finds these without making a list.
  for (const key in fields) {
    const field = fields[key];
    count += typeof field === "object" && field !== null ? 1 + countKeys(field) : 1;
  }
  return count;
}
