import type { FailureReason } from "../../domain/http.ts";
import type { Json, Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";

/** No reply of the interface is deeper than six; what is far deeper is an attack. */
export const DEEPEST_JSON = 64;

type Parsed = Result<Json, { readonly reason: FailureReason; readonly message: string }> & {
  /** How many keys the objects of the body have; a key that one has twice counts twice. */
  readonly keys?: number;
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
 */
export function parseJsonBody(body: string): Parsed {
  const { deepest, keys } = scan(body);
  if (deepest > DEEPEST_JSON)
    return fail({ reason: "too_large", message: `JSON nested deeper than ${DEEPEST_JSON} levels` });
  try {
    const value = JSON.parse(body, LONG_NUMBER.test(body) ? exactly : undefined) as Json;
    return { ...succeed(value), keys };
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

/**
 * Whether an object of the body has a key twice, of which the parser has silently kept the last: the body then has
 * more keys than what was parsed of it. Counting them costs nothing beside looking for the depth; what was parsed is gone
 * through only if there are any, and not for a list of texts.
 */
export function hasDuplicateKey(value: Json, keys = 0): boolean {
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

/** How deep a text is nested, as far as it need be known, and how many keys it has: a colon outside of a text is of a key. */
function scan(text: string): { readonly deepest: number; readonly keys: number } {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfText(text, index);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (depth > DEEPEST_JSON) break;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === 0x3a) keys += 1;
  }
  return { deepest, keys };
}

/** Where the text that begins at a quote ends; the end of all if it does not. */
function endOfText(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    // A quote after an odd number of backslashes is one of the text.
    let from = end;
    while (text.charCodeAt(from - 1) === 0x5c) from -= 1;
    if ((end - from) % 2 === 0) return end;
  }
}
