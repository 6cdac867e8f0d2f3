import { parseDuration, type Instant } from "../../domain/time.ts";

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/;

/** An instant in UTC, or how long before `end` it was; undefined where it is neither. */
export function parseWhen(text: string, end: Instant): Instant | undefined {
  const length = parseDuration(text);
  const at = length === undefined ? Date.parse(INSTANT.test(text) ? text : "") : end - length;
  return Number.isNaN(at) ? undefined : at;
}
