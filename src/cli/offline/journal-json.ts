import { formatInstant } from "../../domain/time.ts";
import { snakeCase } from "../../domain/wording.ts";

/** What is known of a journal, and what is wrong with it, for scripts; names and instants as those of the API. */
export function journalJson(info: object, problems: readonly string[]): string {
  const entries = Object.entries({ ...info, problems }).map(([key, value]) => [
    snakeCase(key),
    INSTANTS.has(key) && typeof value === "number" ? formatInstant(value) : named(value),
  ]);
  return JSON.stringify(Object.fromEntries(entries), undefined, 2);
}

const INSTANTS: ReadonlySet<string> = new Set(["oldestFinding", "newestFinding", "lastAt"]);

function named(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [snakeCase(key), one]));
}
