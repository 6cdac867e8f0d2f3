import type { DatabaseSync } from "node:sqlite";
import { toEnd, type Slices } from "../../domain/slices.ts";
import { messageOf } from "../../domain/error-message.ts";
import { versionOf } from "./database.ts";
import { badPages } from "./record-pages.ts";
import { badRows } from "./rows.ts";
import { RECORD_SCHEMA } from "./schema.ts";

/** How many problems are listed; more would tell no more. */
export const MOST_PROBLEMS = 20;

type Check = () => readonly string[];

/** Everything that is wrong with the content of a journal. Reads the whole file before it returns. */
export function problemsIn(database: DatabaseSync): readonly string[] {
  return toEnd(firstProblems(contentChecks(database)));
}

/**
 * The checks of the content of a journal: every page, every index, the list of free pages, every row. Each calls
 * `onProgress` with its name before it begins.
 */
export function contentChecks(
  database: DatabaseSync,
  onProgress: (stage: string) => void = () => undefined,
): readonly Check[] {
  const checks: ReadonlyArray<readonly [stage: string, check: Check]> = [
    ["checking every page and index", () => integrity(database)],
    ["reading every row of state", () => badRows(database)],
    [
      "reading every page of the record",
      () => (versionOf(database) < RECORD_SCHEMA ? [] : badPages(database)),
    ],
  ];
  return checks.map(([stage, check]) => () => {
    onProgress(stage);
    return check();
  });
}

/** The problems that the checks find, each once; an error of a check is a problem too. Each check is a slice. */
export function* firstProblems(checks: readonly Check[]): Slices<readonly string[]> {
  const problems: Array<string | readonly string[]> = [];
  for (const check of checks) {
    yield;
    try {
      problems.push(check());
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return [...new Set(problems.flat())].slice(0, MOST_PROBLEMS);
}

function integrity(database: DatabaseSync): string[] {
  const lines = database.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all();
  return lines
    .flatMap((row) => String(row["integrity_check"]).split("\n"))
    .filter((line) => line !== "ok" && !line.startsWith("***"));
}
