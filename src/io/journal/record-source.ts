import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fail, type Result } from "../../domain/result.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Instant } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import { databaseInSlices, versionOf } from "./database.ts";
import { refusalOf } from "./file.ts";
import { recoverIfPossible } from "./large-commit.ts";
import { newerSchema, RECORD_SCHEMA } from "./schema.ts";
import { copyInSlices } from "./tools.ts";
import { pastOf } from "./past-questions.ts";
import { pagesOf, readPages, type ReadPage } from "./record-pages.ts";

/** The record of a journal, which can be read any number of times. */
export type RecordSource = {
  /** The units that have a record, `home` first. */
  readonly units: readonly string[];
  /** Pages of a unit from the chapter at an instant, or from the first. */
  readonly pages: (from: Instant, unit: string) => Generator<ReadPage>;
  /** Of all units. */
  readonly firstAt: Instant;
  readonly lastAt: Instant;
};

/**
 * Opens the record of a data directory whose daemon is stopped, or of a backup file, for as long as
 * `work` takes, until the end of the slices or a `return` of them. Neither is changed.
 */
export function* recordInSlices<Value>(
  path: string,
  work: (source: RecordSource) => Slices<Result<Value, string>>,
): Slices<Result<Value, string>> {
  const refused = refusalOf(path);
  if (refused !== undefined) return fail(refused);
  if (!existsSync(path))
    return fail(`${path} is not there: give a data directory or a backup file`);
  if (!statSync(path).isDirectory())
    return yield* databaseInSlices(
      () => new DatabaseSync(path, { readOnly: true }),
      (database) => ofDatabase(database, path, work),
      (error) => `${path} cannot be read as a journal: ${messageOf(error)}`,
    );
  const done = yield* copyInSlices(path, (database, file) => {
    recoverIfPossible(database);
    return ofDatabase(database, file, work);
  });
  return !done.ok && /in use by a running/.test(done.problem)
    ? fail(`${done.problem.replace(/: stop it first\.$/, ".")} ${ASK_FOR_BACKUP}`)
    : done;
}

const ASK_FOR_BACKUP =
  "Ask it for a copy, `aggwatch journal backup --url URL`, and give that file: --data DATA/backups/journal-….sqlite";

function* ofDatabase<Value>(
  database: DatabaseSync,
  file: string,
  work: (source: RecordSource) => Slices<Result<Value, string>>,
): Slices<Result<Value, string>> {
  const newer = newerSchema(database, file);
  if (newer !== undefined) return fail(newer);
  const version = versionOf(database);
  if (version < RECORD_SCHEMA) {
    return fail(
      version === 0
        ? `${file} is not a journal of aggwatch`
        : `${file} is of schema ${version}, which keeps no record of what was observed. aggwatch records from the moment that this version runs on it.`,
    );
  }
  const { recordUnits, recordSpan, chapterAt } = pastOf(database);
  const units = recordUnits();
  const spans = units.flatMap((unit) => recordSpan(unit) ?? []);
  if (spans.length === 0)
    return fail(`${file} holds no record yet: run aggwatch on it for a while`);
  return yield* work({
    units,
    firstAt: Math.min(...spans.map(({ firstAt }) => firstAt)),
    lastAt: Math.max(...spans.map(({ lastAt }) => lastAt)),
    pages: (from, unit) => readPages(database, chapterAt(from, unit), pagesOf(unit)[1]),
  });
}
