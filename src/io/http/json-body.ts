import type { FailureReason } from "../../domain/http.ts";
import type { Json, Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";
import { restoreItems, type BodyItems } from "./json-items.ts";
import { DEEPEST_JSON, scanBody } from "./json-scan.ts";

type Problem = { readonly reason: FailureReason; readonly message: string };

type Parsed = Result<Json, Problem> & {
  /** An object of the body has a key twice, of which the parser has silently kept the last. */
  readonly isAmbiguous?: boolean;
  /** Of a long body, by which the next one is parsed faster. */
  readonly items?: BodyItems | undefined;
};

/** 2^53 has sixteen digits: without a number of as many, all whole ones are exact. In a text it costs time alone. */
const LONG_NUMBER = /(?:^|[:,[\s-])\d{16}/;

/** A whole number that a double cannot hold exactly becomes its text, as an id may be such a number. */
function exactly(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}

/**
 * Parses a body, or says in one line what it is instead. Depth is checked before parsing. A whole number beyond
 * 2^53 is kept as the text that it is written with, so that it is read as a numeric text is: exactly, or not at all.
 * What has the text of an item of the body before is that very object, and only the rest is parsed.
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
    // The engine's own message repeats pieces of the body; the start of it says more, and is bounded.
    const start = body
      .trimStart()
      .slice(0, 60)
      .replace(/\p{Cc}/gu, " ");
    const what = start === "" ? "an empty body" : `a body of ${body.length} characters: ${start}`;
    return fail({ reason: "malformed", message: `not JSON, but ${what}` });
  }
}

/** A value that was made of a body, in which what has the text of an item before is that very object. */
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
 * Whether an object of the body has a key twice, of which the parser has silently kept the last: the body then has
 * more keys than what was parsed of it. Counting them costs nothing beside looking for the depth; what was parsed is gone
 * through only if there are any, and not for a list of texts.
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
  // What was parsed has own keys alone, and no list of them is made.
  for (const key in fields) {
    const field = fields[key];
    count += typeof field === "object" && field !== null ? 1 + countKeys(field) : 1;
  }
  return count;
}
