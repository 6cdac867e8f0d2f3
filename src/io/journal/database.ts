import type { DatabaseSync } from "node:sqlite";
import { fail, type Result } from "../../domain/result.ts";
import { inOneSlice, toEnd, type Slices } from "../../domain/slices.ts";
import { messageOf } from "../../domain/error-message.ts";

/** How every SQLite file of aggwatch is opened, read and written. */

/** A row of SQLite or PostgreSQL, by column. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Opens a database for as long as the work takes; an error of either becomes the problem. A `return` of the slices
 * closes it too.
 */
export function* databaseInSlices<Value>(
  open: () => DatabaseSync,
  work: (database: DatabaseSync) => Slices<Result<Value, string>>,
  explain: (error: unknown) => string,
): Slices<Result<Value, string>> {
  let database: DatabaseSync | undefined;
  try {
    database = open();
    return yield* work(database);
  } catch (error) {
    return fail(explain(error));
  } finally {
    if (database?.isOpen === true) database.close();
  }
}

/** Writes all or nothing. Throws what the work throws, or why it cannot be written. */
export function inTransaction(database: DatabaseSync, work: () => void): void {
  toEnd(transactionInSlices(database, inOneSlice(work)));
}

/** The same in slices; nothing else may be written before the end. If the slices never end, nothing is written. */
export function* transactionInSlices(database: DatabaseSync, work: () => Slices): Slices {
  try {
    database.exec("BEGIN IMMEDIATE");
    yield* work();
    database.exec("COMMIT");
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, as it may on a full disk.
    }
    throw error;
  }
}

/**
 * The same without waiting for the disk: a loss of power may undo it, together with everything written after it. The
 * next transaction that waits makes it safe.
 */
export function* unsyncedInSlices(database: DatabaseSync, work: () => Slices): Slices {
  database.exec("PRAGMA synchronous = NORMAL");
  try {
    yield* transactionInSlices(database, work);
  } finally {
    database.exec("PRAGMA synchronous = FULL");
  }
}

/** The number of a file's schema; 0 if it never had one. */
export function versionOf(database: DatabaseSync): number {
  return versionReader(database)();
}

/** The same, for a caller that asks often. */
export function versionReader(database: DatabaseSync): () => number {
  const read = database.prepare("PRAGMA user_version");
  return () => Number(read.get()?.["user_version"] ?? 0);
}

/**
 * Added to that number while a large commit is complete and not yet brought in, so that an older aggwatch refuses it.
 */
export const COMPLETE = 1_000_000;

/** The schema of the rows, even while a large commit is not yet brought in. */
export function schemaOf(database: DatabaseSync): number {
  return versionOf(database) % COMPLETE;
}

/** In bytes: SQLite takes a file of a single one for empty too, and deletes the log beside an empty file. */
export const MOST_OF_NOTHING = 1;

/** Whether another process has the file. */
export function isLocked(error: unknown): boolean {
  return /locked|busy/i.test(messageOf(error));
}

/** Why a text is not JSON; undefined if it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `not JSON: ${messageOf(error)}`;
  }
}
