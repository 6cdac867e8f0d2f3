import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { fail, succeed, type Result } from "../domain/result.ts";
import type { Change, Finding, StateTable } from "../domain/step.ts";
import { DAY, type Instant, type Millis } from "../domain/time.ts";
import { messageOf } from "./error-message.ts";
import { badRow, readRow, readRows } from "./journal-rows.ts";
import { migrate, newerSchema } from "./journal-schema.ts";

/**
 * The durable record: the rows of the core's state, and the findings that explain them. One
 * transaction a step, on disk before anything is sent (WAL, synchronous FULL: it survives the
 * process's death at any instant, and the loss of power).
 */
export type Journal = {
  /** The rows as last committed, one at a time: a large journal is never in memory twice. */
  readonly rows: () => Iterable<Change>;
  /** The value of one row as last committed; undefined where there is none. */
  readonly row: (table: StateTable, key: string) => unknown;
  /** Writes all or nothing. A failure is a value: the caller stops acting, and goes on alerting. */
  readonly commit: (record: JournalRecord) => Result<void, string>;
  /** The newest findings first. */
  readonly findings: (limit: number) => StoredFinding[];
  /**
   * What was found about one alert up to an instant, newest first: how it moved, why nothing was sent,
   * what became of what was.
   */
  readonly historyOf: (alert: string, until: Instant) => StoredFinding[];
  readonly close: () => void;
};

export type JournalRecord = {
  readonly at: Instant;
  readonly changes: readonly Change[];
  /** Each with its own instant: some may have waited for a journal that could not be written. */
  readonly findings: readonly StoredFinding[];
};

export type StoredFinding = { readonly at: Instant; readonly finding: Finding };

export const JOURNAL_FILE = "journal.sqlite";

/** How long findings are kept, and how many at the most: the file has a bound. */
export const FINDING_RETENTION: Millis = 30 * DAY;
export const MOST_FINDINGS = 500_000;

export type JournalBounds = { readonly mostFindings: number };

/** As much of an alert's past as a person reads. */
const MOST_HISTORY = 500;

/** How many commits pass between two looks at what is too old. */
export const COMMITS_PER_PRUNING = 500;

/** After a large commit, the write-ahead log gives its room back down to this. */
const LARGEST_IDLE_LOG_BYTES = 16_000_000;

/** Opens the journal in a directory, which is made where it is missing. Only one process may. */
export function openJournal(
  directory: string,
  bounds: JournalBounds = { mostFindings: MOST_FINDINGS },
): Result<Journal, string> {
  const file = join(directory, JOURNAL_FILE);
  let database: DatabaseSync | undefined;
  try {
    makeDirectory(directory);
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT });
    // Exclusive before the first access: the lock is held for as long as the process lives.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    // Nothing is written before it is known that the file is for this version.
    const newer = newerSchema(database, file);
    if (newer !== undefined) return refuse(database, newer);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec(`PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG_BYTES}`);
    database.exec("BEGIN IMMEDIATE; COMMIT");
    migrate(database);
    const bad = badRow(database);
    return bad === undefined
      ? succeed(journalOf(database, bounds))
      : refuse(database, explainDamage(file, bad));
  } catch (error) {
    try {
      database?.close();
    } catch {
      // What opening said is the better message.
    }
    return fail(explainOpening(file, error));
  }
}

/** Not by the recursive option, which tries for ever where a parent takes no directories, as /proc. */
function makeDirectory(directory: string): void {
  if (existsSync(directory) && statSync(directory).isDirectory()) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectory(parent);
  mkdirSync(directory);
}

/** How long another process is waited for, in milliseconds: long enough for one that is ending. */
const LOCK_TIMEOUT: Millis = 200;

function refuse(database: DatabaseSync, problem: string): Result<never, string> {
  database.close();
  return fail(problem);
}

function explainOpening(file: string, error: unknown): string {
  const message = messageOf(error);
  if (/locked|busy/i.test(message)) {
    return `${file} is in use by another aggwatch. Two watchdogs on one journal would act twice: stop the other one, or give this one a data directory of its own (--data).`;
  }
  if (/not a database|malformed|corrupt/i.test(message)) {
    return explainDamage(file, message);
  }
  if (/EEXIST|ENOTDIR/.test(message)) {
    return `the data directory ${dirname(file)} cannot be used: a file is in its way. Give another directory with --data.`;
  }
  if (/EACCES|EPERM|EROFS|ENOENT|readonly/.test(message)) {
    return `the data directory ${dirname(file)} cannot be written (${message}). Make it writable for the user that aggwatch runs as, or give another with --data.`;
  }
  return `${file} cannot be opened: ${message}. Is it a plain file, in a directory that is writable, and on a disk with room?`;
}

function explainDamage(file: string, what: string): string {
  return `${file} is damaged (${what}). Keep a copy of it, then move it away to start with an empty journal: aggwatch then knows nothing of past alerts and remediations.`;
}

function journalOf(database: DatabaseSync, { mostFindings }: JournalBounds): Journal {
  const write = database.prepare(
    "INSERT INTO state (name, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const remove = database.prepare("DELETE FROM state WHERE name = ? AND key = ?");
  const record = database.prepare("INSERT INTO finding (at, type, body) VALUES (?, ?, ?)");
  const recent = database.prepare("SELECT at, body FROM finding ORDER BY seq DESC LIMIT ?");
  const history = database.prepare(
    "SELECT at, body FROM finding WHERE alert = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT ?",
  );
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
    row: (table, key) => readRow(database, table, key),
    commit: ({ at, changes, findings }) =>
      inTransaction(() => {
        writeChanges(write, remove, changes);
        for (const { at: foundAt, finding } of findings) {
          record.run(foundAt, finding.type, JSON.stringify(finding));
        }
        commits += 1;
        if (commits % COMMITS_PER_PRUNING === 0) prune.run(mostFindings, at - FINDING_RETENTION);
      }),
    findings: (limit) => recent.all(limit).map(storedFinding),
    historyOf: (alert, until) => history.all(alert, until, MOST_HISTORY).map(storedFinding),
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

function storedFinding(row: Readonly<Record<string, unknown>>): StoredFinding {
  return { at: Number(row["at"]), finding: JSON.parse(String(row["body"])) as Finding };
}
