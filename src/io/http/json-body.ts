import type { FailureReason } from "../../domain/http.ts";
import type { Json, Result } from "../../domain/result.ts";
import { fail, succeed } from "../../domain/result.ts";

/** No reply of the interface is deeper than six; what is far deeper is an attack. */
export const DEEPEST_JSON = 64;

/** Parses a body, or says in one line what it is instead. Depth is checked before parsing. */
export function parseJsonBody(
  body: string,
): Result<Json, { readonly reason: FailureReason; readonly message: string }> {
  if (isDeeperThan(body, DEEPEST_JSON))
    return fail({ reason: "too_large", message: `JSON nested deeper than ${DEEPEST_JSON} levels` });
  try {
    return succeed(JSON.parse(body) as Json);
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

function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}
