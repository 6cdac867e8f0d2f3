import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { messageOf } from "../../domain/error-message.ts";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { eachInSlices, inOneSlice, toEnd, type Slices } from "../../domain/slices.ts";
import { COMPLETE, inTransaction, unsyncedInSlices, versionOf, versionReader } from "./database.ts";
import { isDamage } from "./file.ts";
import { packPage, type PageRow } from "./record-pages.ts";
import { rowWriter, type JournalRecord, type RowWriter } from "./rows.ts";
import type { Unsynced } from "./write-ahead-log.ts";

/**
 * SQLite writes the end of a transaction in one piece, however long that takes. So a large one becomes many short ones:
 * first they put all its parts aside, then one marks it as complete, and then they bring it in, a part at a time. A
 * commit that was not marked as complete did not happen; one that was is always brought in, if need be by the next
 * process that opens the file.
 */
export type LargeCommits = {
  /** All or nothing. Throws if it cannot be written. Once complete it is in force, and `finish` brings in the rest. */
  readonly commit: (record: JournalRecord, isStillSound: () => void) => Slices;
  /** Brings in the rest of a complete commit. Throws if it cannot be written. */
  readonly finish: () => Slices;
};

/** Characters of a part. */
const PART_LENGTH = 250_000;

const MAKE = `CREATE TABLE IF NOT EXISTS large_commit (
  part INTEGER PRIMARY KEY, page TEXT, body ANY NOT NULL
) STRICT`;

type Rows = {
  changes: Array<readonly [table: string, key: string, value: string | null]>;
  findings: Array<readonly [at: number, type: string, body: string]>;
};

/** Statements on the parts; they need the table of the parts. */
type Parts = {
  readonly insert: StatementSync;
  readonly oldest: StatementSync;
  readonly remove: StatementSync;
  readonly removeOldest: StatementSync;
};

function partsOf(database: DatabaseSync): Parts {
  return {
    insert: database.prepare("INSERT INTO large_commit (page, body) VALUES (?, ?)"),
    oldest: database.prepare("SELECT * FROM large_commit ORDER BY part LIMIT 1"),
    remove: database.prepare("DELETE FROM large_commit WHERE part = ?"),
    removeOldest: database.prepare(
      "DELETE FROM large_commit WHERE part = (SELECT min(part) FROM large_commit)",
    ),
  };
}

export function largeCommits(
  database: DatabaseSync,
  rows: RowWriter,
  unsynced: Pick<Unsynced, "committed" | "failed">,
): LargeCommits {
  const isOneComplete = completeness(database);
  // The table stays, empty: if a table comes or goes, SQLite prepares every statement again.
  let parts: Parts | undefined;
  // Spares a small commit the query.
  let mayBeComplete = isOneComplete();
  function* finish(): Slices {
    if (!mayBeComplete) return;
    if (isOneComplete()) {
      unsynced.committed(false);
      try {
        yield* bringAllIn(database, rows, (parts ??= partsOf(database)));
      } catch (error) {
        unsynced.failed();
        throw error;
      }
      unsynced.committed(true);
    }
    mayBeComplete = false;
  }
  return {
    finish,
    commit: function* (record, isStillSound) {
      inTransaction(database, () => database.exec(MAKE));
      parts ??= partsOf(database);
      yield* dropParts(parts);
      unsynced.committed(false);
      yield* putAside(database, record, rows, parts);
      isStillSound();
      mayBeComplete = true;
      inTransaction(database, () => setVersion(database, versionOf(database) + COMPLETE));
      yield;
      try {
        yield* finish();
      } catch (error) {
        // The commit is in force anyway: the next commit, or the next process, brings the rest in.
        if (isDamage(error)) throw error;
      }
    },
  };
}

/**
 * When a journal is opened: brings in a complete commit, and drops an incomplete one. The problem is why a complete one
 * could not be brought in: without it, the rows are not what was committed. Throws if the file is damaged.
 */
export function recoverLargeCommit(database: DatabaseSync): Result<void, string> {
  try {
    if (isComplete(database)) toEnd(bringAllIn(database, rowWriter(database), partsOf(database)));
    else if (hasParts(database)) dropIfPossible(database);
    return succeed(undefined);
  } catch (error) {
    if (isDamage(error)) throw error;
    return fail(messageOf(error));
  }
}

/** On a full disk they stay, and the next large commit drops them first. */
function dropIfPossible(database: DatabaseSync): void {
  try {
    database.exec("DELETE FROM large_commit");
  } catch (error) {
    if (isDamage(error)) throw error;
  }
}

/** The same for a copy that is inspected: reading it reports any damage. */
export function recoverIfPossible(database: DatabaseSync): void {
  try {
    if (isComplete(database)) recoverLargeCommit(database);
  } catch {
    // The parts stay beside the rows.
  }
}

/** Asked first, because SQLite writes even if it deletes all of an empty table. */
function hasParts(database: DatabaseSync): boolean {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'large_commit'");
  if (table.get() === undefined) return false;
  return database.prepare("SELECT 1 FROM large_commit LIMIT 1").get() !== undefined;
}

function* bringAllIn(database: DatabaseSync, rows: RowWriter, parts: Parts): Slices {
  const { oldest } = parts;
  for (let part = oldest.get(); part !== undefined; part = oldest.get()) {
    const own = part;
    // The part is safe where it was put aside, until it is safe in its rows.
    yield* unsyncedInSlices(database, () => bringIn(rows, parts, own));
    yield;
  }
  inTransaction(database, () => setVersion(database, versionOf(database) - COMPLETE));
}

function setVersion(database: DatabaseSync, version: number): void {
  database.exec(`PRAGMA user_version = ${version}`);
}

/** Whether there is a commit that is in force and not fully brought in. */
export function isComplete(database: DatabaseSync): boolean {
  return completeness(database)();
}

/** The same, for a caller that asks often. */
export function completeness(database: DatabaseSync): () => boolean {
  const version = versionReader(database);
  return () => version() >= COMPLETE;
}

/** Drops the parts of an incomplete commit, one by one, because there may be many. */
function* dropParts({ removeOldest }: Parts): Slices {
  while (Number(removeOldest.run().changes) > 0) yield;
}

function* putAside(
  database: DatabaseSync,
  { changes, findings, pages = [] }: JournalRecord,
  { pages: { rowOf } }: RowWriter,
  { insert }: Parts,
): Slices {
  let part: Rows = { changes: [], findings: [] };
  let length = 0;
  // The transaction that marks it as complete waits for the disk, and so for all of this.
  const write = (page: string | null, body: string | Uint8Array): void => {
    const put = (): void => void insert.run(page, body);
    toEnd(unsyncedInSlices(database, inOneSlice(put)));
  };
  function* end(): Slices {
    if (length === 0) return;
    write(null, JSON.stringify(part));
    part = { changes: [], findings: [] };
    length = 0;
    yield;
  }
  for (const { table, key, value } of changes) {
    const text = value === undefined ? null : JSON.stringify(value);
    part.changes.push([table, key, text]);
    length += key.length + (text?.length ?? 0);
    if (length > PART_LENGTH) yield* end();
  }
  for (const { at, finding } of findings) {
    const text = JSON.stringify(finding);
    part.findings.push([at, finding.type, text]);
    length += text.length;
    if (length > PART_LENGTH) yield* end();
  }
  yield* end();
  for (const page of pages) {
    write(JSON.stringify(rowOf(page)), packPage(page.body));
    yield;
  }
}

type Part = Readonly<Record<string, SQLOutputValue>>;

function* bringIn(rows: RowWriter, { remove }: Parts, part: Part): Slices {
  const { page, body } = part;
  // First, so that its room is free for the rows.
  remove.run(part["part"] ?? null);
  if (page === null) {
    const { changes, findings } = JSON.parse(String(body)) as Rows;
    yield* eachInSlices(changes, ([table, key, value]) => rows.change(table, key, value));
    yield* eachInSlices(findings, ([at, type, text]) => rows.finding(at, type, text));
  } else rows.pages.put(JSON.parse(String(page)) as PageRow, body as Uint8Array);
}
