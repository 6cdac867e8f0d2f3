import type { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../domain/result.ts";

/**
 * The journal's schema, as the list of steps that lead to it. `user_version` says how many of them
 * a file has taken. A step is never changed once released; a change is a new step.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE state (
     name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
     PRIMARY KEY (name, key)
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE finding (
     seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX finding_at ON finding (at);`,
];

/** Brings a file to the newest schema; one of a newer aggwatch is refused, untouched. */
export function migrate(database: DatabaseSync, file: string): Result<void, string> {
  const row = database.prepare("PRAGMA user_version").get();
  const version = Number(row?.["user_version"] ?? 0);
  if (version > MIGRATIONS.length) {
    return fail(
      `${file} was written by a newer aggwatch (schema ${version}; this one knows ${MIGRATIONS.length}). Run that version, or give this one another data directory.`,
    );
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
  return succeed(undefined);
}
