import type { Result } from "../domain/result.ts";
import { fail, succeed } from "../domain/result.ts";
import { plainSegments } from "./forbidden.ts";

/** A path as its segments: either a literal, or one whole argument. */
export type PathSegment = { readonly literal: string } | { readonly arg: string };

const LITERAL = /^[A-Za-z0-9._~-]+$/;
const ARG = /^\{([A-Za-z][A-Za-z0-9]*)\}$/;

/**
 * Reads a path template. Literals are plain letters, digits and `._~-`: with percent signs,
 * semicolons, dot segments and empty segments ruled out, a path has just one spelling.
 * One slash at the end is kept, as some services want it.
 */
export function parsePathTemplate(template: string): Result<readonly PathSegment[], string> {
  const segments: PathSegment[] = [];
  for (const segment of template.replace(/^\//, "").split("/")) {
    const arg = ARG.exec(segment)?.[1];
    if (arg !== undefined) segments.push({ arg });
    else if (isPlainLiteral(segment)) segments.push({ literal: segment });
    else if (segment === "" && segments.length > 0) segments.push({ literal: "" });
    else return fail(`"${segment.slice(0, 40)}" is not a segment that can be sent`);
  }
  const gap = segments.findIndex((segment) => "literal" in segment && segment.literal === "");
  if (gap !== -1 && gap !== segments.length - 1) return fail("an empty segment inside the path");
  return succeed(segments);
}

function isPlainLiteral(segment: string): boolean {
  return LITERAL.test(segment) && segment !== "." && segment !== "..";
}

/** The names in braces in a text: `{orderId}` and `{limit:number}`. */
export function argsOfText(text: string): readonly string[] {
  return [...text.matchAll(/\{([^{}]*)\}/g)].map((match) =>
    (match[1] ?? "").replace(/:number$/, ""),
  );
}

/** Characters that need no encoding in a path. */
const PLAIN_NAME = /^[\w-]{1,300}$/;

/**
 * Encodes an argument as one path segment, or says why it cannot be one. Dot segments are refused
 * however they are encoded, as a proxy on the way may decode before it resolves them.
 */
export function encodeSegment(value: string): Result<string, string> {
  if (PLAIN_NAME.test(value)) return succeed(value);
  if (value === "") return fail("is empty");
  if (value.length > 300) return fail("is longer than 300 characters");
  if (!value.isWellFormed()) return fail("is not well-formed text");
  if (hasControlCharacter(value)) return fail("holds a control character");
  if (plainSegments(value).some((piece) => piece === "." || piece === ".."))
    return fail("is or holds a dot segment");
  return succeed(encodeURIComponent(value));
}

export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
