import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { eachInSlices, toEnd, type Slices } from "../../domain/slices.ts";
import type { Change, StateTable } from "../../domain/step.ts";
import { DAY, type Instant, type Millis } from "../../domain/time.ts";
import { messageOf } from "../process/error-message.ts";
import { backUp, type Backup } from "./backup.ts";
import {
  explainDamage,
  explainOpening,
  isDamage,
  JOURNAL_FILE,
  makeDirectory,
  makeFile,
  obviousDamage,
} from "./file.ts";
import { transactionInSlices } from "./database.ts";
import { frozenFile, type FrozenFile } from "./frozen-file.ts";
import { identityOf, type FileIdentity } from "./identity.ts";
import { logDamage } from "./log-damage.ts";
import {
  BadRow,
  readRow,
  readRows,
  rowCounts,
  storedFinding,
  type StoredFinding,
  rowWriter,
  type JournalRecord,
  type RowWriter,
} from "./rows.ts";
import { PAST_SQL, pastOf, type JournalPast } from "./past.ts";
import { isJournal, migrate, newerSchema } from "./schema.ts";
import { largeCommits, recoverLargeCommit } from "./large-commit.ts";
import type { RecordBounds } from "./record-pages.ts";

/**
 * The durable record: the rows of the core's state, and the findings that explain them. One
 * transaction a step, on disk before anything is sent (WAL, synchronous FULL: it survives the
 * process's death at any instant, and the loss of power).
 */
export type Journal = JournalPast &
  FrozenFile & {
    /**
     * The rows as last committed, of one table if it is given; one at a time, so that a large journal is not in memory
     * twice. What is damaged is met as it is read: that throws what to tell people.
     */
    readonly rows: (only?: StateTable) => Iterable<Change>;
    /** How many rows there are, a part at a time. */
    readonly rowCounts: () => Iterable<number>;
    /** The value of one row as last committed; undefined if there is none. */
    readonly row: (table: StateTable, key: string) => unknown;
    /** Writes all or nothing. A failure is a value: the caller stops acting, and goes on alerting. */
    readonly commit: (record: JournalRecord) => Result<void, string>;
    /** The same; nothing else may be written before it ends. */
    readonly commitInSlices: (record: JournalRecord) => Slices<Result<void, string>>;
    /** If what is committed reaches the file that has the journal's name; the problem says why it does not. */
    readonly inPlace: () => Result<void, string>;
    /** It is damaged: nothing is committed any more, as writing to it could harm what is left. */
    readonly condemn: (damage: string) => void;
    /** The newest findings first. */
    readonly findings: (limit: number) => StoredFinding[];
    /** Copies the journal into the data directory's `backups`, while it is in use. */
    readonly backUp: (at: Instant) => Result<Backup, string>;
    readonly close: () => void;
  };

export { JOURNAL_FILE } from "./file.ts";
export type { JournalRecord, StoredFinding } from "./rows.ts";

/** How long findings are kept, and how many at the most: the file has a bound. */
export const FINDING_RETENTION: Millis = 30 * DAY;
export const MOST_FINDINGS = 500_000;

/** How much is kept of what was observed, unless the settings say otherwise. */
export const RECORD_BOUNDS: RecordBounds = { retentionMs: 30 * DAY, maxBytes: 536_870_912 };

export type JournalBounds = { readonly mostFindings?: number; readonly record?: RecordBounds };

/** After so many commits, what is too old is deleted. */
export const COMMITS_PER_PRUNING = 500;

/** After a large commit, the write-ahead log gives its room back down to this. */
const LARGEST_IDLE_LOG_BYTES = 16_000_000;

/** Opens the journal in a directory, which is made if it is missing. Only one process may. */
export function openJournal(
  directory: string,
  bounds: JournalBounds = {},
): Result<Journal, string> {
  const file = join(directory, JOURNAL_FILE);
  let database: DatabaseSync | undefined;
  try {
    makeDirectory(directory);
    const damage = obviousDamage(file) ?? logDamage(file);
    if (damage !== undefined) return fail(explainDamage(file, damage));
    if (!existsSync(file)) makeFile(file);
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT });
    // Exclusive before the first access: the lock is held for as long as the process lives.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    // Nothing is written before it is known that the file is for this version.
    const newer = newerSchema(database, file);
    if (newer !== undefined) return refuse(database, newer);
    if (!isJournal(database)) return refuse(database, explainDamage(file, "it is no journal"));
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec(`PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG_BYTES}`);
    database.exec("BEGIN IMMEDIATE; COMMIT");
    recoverLargeCommit(database);
    migrate(database);
    return succeed(journalOf(database, directory, bounds, identityOf(file)));
  } catch (error) {
    try {
      database?.close();
    } catch {
      // Why it could not be opened is the better message.
    }
    return fail(explainOpening(file, error));
  }
}

/** More rows and findings than these are written as a large commit. */
const ROWS_AT_ONCE = 1_000;

const PRUNED_AT_ONCE = 2_000;

/** How long another process is waited for, in milliseconds: long enough for one that is ending. */
const LOCK_TIMEOUT: Millis = 200;

function refuse(database: DatabaseSync, problem: string): Result<never, string> {
  database.close();
  return fail(problem);
}

export function journalOf(
  database: DatabaseSync,
  directory: string,
  bounds: JournalBounds & { readonly rowsAtOnce?: () => number },
  identity: FileIdentity = { problem: () => undefined },
): Journal {
  const { rowsAtOnce = () => ROWS_AT_ONCE } = bounds;
  const rows = rowWriter(database);
  const large = largeCommits(database, rows);
  const prune = pruning(database, rows, bounds);
  const recent = database.prepare(PAST_SQL.recent);
  let damage: string | undefined;
  const inPlace = (): Result<void, string> => {
    const problem = damage ?? identity.problem();
    return problem === undefined ? succeed(undefined) : fail(problem);
  };
  // It may have been found while something was written.
  const mustBeSound = (): void => {
    if (damage !== undefined) throw new Error(damage);
  };
  function* commitInSlices(written: JournalRecord): Slices<Result<void, string>> {
    const place = inPlace();
    if (!place.ok) return place;
    try {
      yield* large.finish();
      if (written.changes.length + written.findings.length > rowsAtOnce()) {
        yield* large.commit(written, mustBeSound);
        return succeed(undefined);
      }
      yield* transactionInSlices(database, function* () {
        yield* writeRecord(rows, written);
        prune(written.at);
        mustBeSound();
      });
    } catch (error) {
      if (isDamage(error)) damage = explainDamage(join(directory, JOURNAL_FILE), messageOf(error));
      return fail(damage ?? messageOf(error));
    }
    return succeed(undefined);
  }
  return {
    rows: (only) => {
      toEnd(large.finish());
      return explained(directory, () => readRows(database, only));
    },
    rowCounts: () => explained(directory, () => rowCounts(database)),
    row: (...of) => explained(directory, () => [readRow(database, ...of)]).next().value,
    inPlace,
    condemn: (found) => {
      damage = found;
    },
    ...frozenFile(database),
    commit: (written) => toEnd(commitInSlices(written)),
    commitInSlices,
    findings: (limit) => recent.all(limit).map(storedFinding),
    ...pastOf(database),
    backUp: (at) => backUp(database, directory, at),
    close: () => database.close(),
  };
}

/** The same values; damage that is met on the way says what people can do about it. */
function* explained<Value>(directory: string, read: () => Iterable<Value>): Generator<Value> {
  try {
    yield* read();
  } catch (error) {
    if (!(error instanceof BadRow) && !isDamage(error)) throw error;
    throw new Error(explainDamage(join(directory, JOURNAL_FILE), messageOf(error)), {
      cause: error,
    });
  }
}

function* writeRecord(rows: RowWriter, { changes, findings, pages = [] }: JournalRecord): Slices {
  yield* eachInSlices(changes, ({ table, key, value }) => {
    rows.change(table, key, value === undefined ? null : JSON.stringify(value));
  });
  yield* eachInSlices(findings, ({ at, finding }) => {
    rows.finding(at, finding.type, JSON.stringify(finding));
  });
  for (const page of pages) {
    rows.pages.write(page);
    yield;
  }
}

/** Deletes what is too old, now and then, in the transaction of the caller; many findings take several turns. */
function pruning(
  database: DatabaseSync,
  { pages }: RowWriter,
  { mostFindings = MOST_FINDINGS, record = RECORD_BOUNDS }: JournalBounds,
): (at: Instant) => void {
  const prune = database.prepare(
    `DELETE FROM finding WHERE seq IN (
       SELECT seq FROM finding
       WHERE seq <= (SELECT max(seq) FROM finding) - ? OR at < ? ORDER BY seq LIMIT ${PRUNED_AT_ONCE}
     )`,
  );
  let commits = 0;
  return (at) => {
    commits += 1;
    if (commits < COMMITS_PER_PRUNING) return;
    const { changes } = prune.run(mostFindings, at - FINDING_RETENTION);
    if (Number(changes) === PRUNED_AT_ONCE) return;
    pages.prune(at, record);
    commits = 0;
  };
}
