import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { fail, succeed, type Result } from "../domain/result.ts";
import { STATE_TABLES, type Change, type Finding } from "../domain/step.ts";
import { DAY, type Instant, type Millis } from "../domain/time.ts";
import { messageOf } from "./error-message.ts";
import { migrate } from "./journal-schema.ts";

/**
 * The durable record: the rows of the core's state, and the findings that explain them. One
 * transaction a step, on disk before anything is sent (WAL, synchronous FULL: it survives the
 * process's death at any instant, and the loss of power).
 */
export type Journal = {
  /** The rows as last committed. */
  readonly rows: () => Change[];
  /** Writes all or nothing. A failure is a value: the caller stops acting, and goes on alerting. */
  readonly commit: (record: JournalRecord) => Result<void, string>;
  /** The newest findings first. */
  readonly findings: (limit: number) => StoredFinding[];
  readonly close: () => void;
};

export type JournalRecord = {
  readonly at: Instant;
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
};

export type StoredFinding = { readonly at: Instant; readonly finding: Finding };

export const JOURNAL_FILE = "journal.sqlite";

/** How long findings are kept, and how many at the most: the file has a bound. */
export const FINDING_RETENTION: Millis = 30 * DAY;
export const MOST_FINDINGS = 500_000;

/** How many commits pass between two looks at what is too old. */
const COMMITS_PER_PRUNING = 500;

/** Opens the journal in a directory, which is made where it is missing. Only one process may. */
export function openJournal(directory: string): Result<Journal, string> {
  const file = join(directory, JOURNAL_FILE);
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(directory, { recursive: true });
    database = new DatabaseSync(file, { timeout: 200 });
    // Exclusive before the first access: the lock is held for as long as the process lives.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec("BEGIN IMMEDIATE; COMMIT");
    const migrated = migrate(database, file);
    if (!migrated.ok) {
      database.close();
      return migrated;
    }
    return succeed(journalOf(database));
  } catch (error) {
    try {
      database?.close();
    } catch {
      // What opening said is the better message.
    }
    return fail(explainOpening(file, error));
  }
}

function explainOpening(file: string, error: unknown): string {
  const message = messageOf(error);
  if (/locked|busy/i.test(message)) {
    return `${file} is in use by another aggwatch. Two watchdogs on one journal would act twice: stop the other one, or give this one a data directory of its own (--data).`;
  }
  if (/not a database|malformed|corrupt/i.test(message)) {
    return `${file} is damaged (${message}). Keep a copy of it, then move it away to start with an empty journal: aggwatch then knows nothing of past alerts and remediations.`;
  }
  return `${file} cannot be opened: ${message}. Is the directory there, writable, and on a disk with room?`;
}

function journalOf(database: DatabaseSync): Journal {
  const write = database.prepare(
    "INSERT INTO state (name, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const remove = database.prepare("DELETE FROM state WHERE name = ? AND key = ?");
  const record = database.prepare("INSERT INTO finding (at, type, body) VALUES (?, ?, ?)");
  const recent = database.prepare("SELECT at, body FROM finding ORDER BY seq DESC LIMIT ?");
  const prune = database.prepare(
    "DELETE FROM finding WHERE seq <= (SELECT max(seq) FROM finding) - ? OR at < ?",
  );
  let commits = 0;
  const inTransaction = (work: () => void): Result<void, string> => {
    try {
      database.exec("BEGIN IMMEDIATE");
      work();
      database.exec("COMMIT");
      return succeed(undefined);
    } catch (error) {
      try {
        if (database.isTransaction) database.exec("ROLLBACK");
      } catch {
        // A full disk can fail the rollback too; SQLite then rolls back by itself.
      }
      return fail(messageOf(error));
    }
  };
  return {
    rows: () => readRows(database),
    commit: ({ at, changes, findings }) =>
      inTransaction(() => {
        writeChanges(write, remove, changes);
        for (const finding of findings) record.run(at, finding.type, JSON.stringify(finding));
        commits += 1;
        if (commits % COMMITS_PER_PRUNING === 0) prune.run(MOST_FINDINGS, at - FINDING_RETENTION);
      }),
    findings: (limit) =>
      recent.all(limit).map((row) => ({
        at: Number(row["at"]),
        finding: JSON.parse(String(row["body"])) as Finding,
      })),
    close: () => database.close(),
  };
}

function writeChanges(
  write: StatementSync,
  remove: StatementSync,
  changes: readonly Change[],
): void {
  for (const { table, key, value } of changes) {
    if (value === undefined) remove.run(table, key);
    else write.run(table, key, JSON.stringify(value));
  }
}

function readRows(database: DatabaseSync): Change[] {
  const names = new Set<string>(STATE_TABLES);
  const rows = database.prepare("SELECT name, key, value FROM state ORDER BY name, key").all();
  return rows.flatMap((row) => {
    const table = String(row["name"]);
    if (!names.has(table)) return [];
    const value: unknown = JSON.parse(String(row["value"]));
    return [{ table: table as Change["table"], key: String(row["key"]), value }];
  });
}
