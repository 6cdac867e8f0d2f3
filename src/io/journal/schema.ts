import type { DatabaseSync } from "node:sqlite";
import { inTransaction, schemaOf, versionOf } from "./database.ts";

/**
 * The journal's schema, as the list of steps that lead to it. `user_version` says how many of them
 * a file has taken. A step is never changed once released; a change is a new step. So is a change of what a row's JSON
 * means, if an earlier version would misread it (a hold whose scope has a new key covers everything to it): an empty
 * step makes that version refuse the journal. Words and fields that it may leave aside need none.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE state (
     name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
     PRIMARY KEY (name, key)
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE finding (
     seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX finding_at ON finding (at);`,
  // The alert that a finding is about, so that the past of an alert is found without reading all.
  `ALTER TABLE finding ADD COLUMN alert TEXT GENERATED ALWAYS AS (
     CASE
       WHEN NOT json_valid(body) THEN NULL
       WHEN type = 'alert' THEN body ->> '$.alert.key'
       WHEN type = 'remediation' THEN body ->> '$.remediation.alert'
       WHEN type IN ('suppressed', 'unconfirmed') THEN body ->> '$.alert'
     END
   ) VIRTUAL;
   CREATE INDEX finding_alert ON finding (alert, at) WHERE alert IS NOT NULL;`,
  // The record, page by page; a whole page needs none before it.
  `CREATE TABLE record (
     seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL,
     whole INTEGER NOT NULL, body BLOB NOT NULL
   ) STRICT;
   CREATE INDEX record_whole ON record (at) WHERE whole = 1;`,
];

/** The first schema with the record. */
export const RECORD_SCHEMA = 3;

/** Why a file of a newer aggwatch is refused; undefined if this one can read it. */
export function newerSchema(database: DatabaseSync, file: string): string | undefined {
  const version = schemaOf(database);
  if (version <= MIGRATIONS.length) return undefined;
  return `${file} was written by a newer aggwatch (schema ${version}; this one knows ${MIGRATIONS.length}). Run that version, or go back to a backup from before it ran. A new journal would know no kill switch, no hold and no budget that is spent.`;
}

/** Every journal has taken at least one step: a file without one is something else, or was emptied. */
export function isJournal(database: DatabaseSync): boolean {
  return versionOf(database) > 0;
}

/** Brings a file to the newest schema, each step in a transaction of its own. */
export function migrate(database: DatabaseSync, steps: readonly string[] = MIGRATIONS): void {
  const version = versionOf(database);
  for (const [index, sql] of steps.entries()) {
    if (index < version) continue;
    inTransaction(database, () => database.exec(`${sql}; PRAGMA user_version = ${index + 1}`));
  }
}
