import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../domain/error-message.ts";
import { versionOf } from "./database.ts";
import { badPages } from "./record-pages.ts";
import { badRows } from "./rows.ts";
import { RECORD_SCHEMA } from "./schema.ts";

/** How many problems are listed; more would tell no more. */
export const MOST_PROBLEMS = 20;

/**
 * Everything that is wrong with the content of a journal: every page, every index, the list of free pages, every row.
 * Reads the whole file before it returns; calls `onProgress` with the name of each check before it begins.
 */
export function problemsIn(
  database: DatabaseSync,
  onProgress: (stage: string) => void = () => undefined,
): readonly string[] {
  const checks: ReadonlyArray<readonly [stage: string, check: () => readonly string[]]> = [
    ["checking every page and index", () => integrity(database)],
    ["reading every row of state", () => badRows(database)],
    [
      "reading every page of the record",
      () => (versionOf(database) < RECORD_SCHEMA ? [] : badPages(database)),
    ],
  ];
  return firstProblems(
    checks.map(([stage, check]) => () => {
      onProgress(stage);
      return check();
    }),
  );
}

/** The problems that the checks find, each once; an error of a check is a problem too. */
export function firstProblems(checks: ReadonlyArray<() => readonly string[]>): readonly string[] {
  const problems = checks.flatMap((check) => {
    try {
      return check();
    } catch (error) {
      return messageOf(error);
    }
  });
  return [...new Set(problems)].slice(0, MOST_PROBLEMS);
}

function integrity(database: DatabaseSync): string[] {
  const lines = database.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all();
  return lines
    .flatMap((row) => String(row["integrity_check"]).split("\n"))
    .filter((line) => line !== "ok" && !line.startsWith("***"));
}
