import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { eachInSlices, inOneSlice, toEnd, type Slices } from "../../domain/slices.ts";
import type { Change, StateTable } from "../../domain/step.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import { backUp, type Backup } from "./backup.ts";
import {
  explainDamage,
  explainOpening,
  explainWaiting,
  isDamage,
  JOURNAL_FILE,
  linkProblem,
  makeDirectory,
  makeFile,
  obviousDamage,
} from "./file.ts";
import { transactionInSlices, unsyncedInSlices } from "./database.ts";
import { identityOf } from "./identity.ts";
import { logDamage } from "./log-damage.ts";
import {
  BadRow,
  readRows,
  rowCounts,
  rowWriter,
  type JournalRecord,
  type RowWriter,
} from "./rows.ts";
import type { JournalPast } from "./past.ts";
import { pastOf } from "./past-questions.ts";
import { isJournal, migrate, newerSchema } from "./schema.ts";
import { largeCommits, recoverLargeCommit } from "./large-commit.ts";
import { pruning, type JournalBounds } from "./retention.ts";
import { writeAheadLog, type FrozenFile } from "./write-ahead-log.ts";

/**
 * The durable record: the rows of the core's state, and the findings that explain them. One
 * transaction a step, on disk before anything is sent (WAL, synchronous FULL: it survives the
 * process's death at any instant, and the loss of power, except for what was committed unsynced).
 */
export type Journal = JournalPast &
  FrozenFile & {
    /**
     * The rows as last committed, all or those of one table; one at a time, so that a large journal is not in memory
     * twice. Reading a damaged row throws, with a message for people.
     */
    readonly rows: (only?: StateTable) => Iterable<Change>;
    /** How many rows there are, a part at a time. */
    readonly rowCounts: () => Iterable<number>;
    /** Writes all or nothing. A failure is a value: the caller stops acting, and goes on alerting. */
    readonly commit: (record: JournalRecord) => Result<void, string>;
    /** The same; nothing else may be written before it ends. */
    readonly commitInSlices: (record: JournalRecord) => Slices<Result<void, string>>;
    /** Makes unsynced commits safe from a loss of power. A failure is a value, as for a commit. */
    readonly sync: () => Result<void, string>;
    /** Whether commits reach the file that has the journal's name; the problem says why not. */
    readonly inPlace: () => Result<void, string>;
    /** The damage that a commit has met or a check has found, for people; undefined if none is known. */
    readonly damage: () => string | undefined;
    /** Ends all commits to a damaged journal, because writing could harm what is left. */
    readonly condemn: (damage: string) => void;
    /** Copies the journal into the data directory's `backups`, while it is in use. */
    readonly backUp: (at: Instant) => Result<Backup, string>;
    readonly close: () => void;
  };

export { JOURNAL_FILE } from "./file.ts";
export type { JournalRecord, StoredFinding } from "./rows.ts";

/** After a large commit, the write-ahead log shrinks to this. */
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
    const link = linkProblem(file);
    if (link !== undefined) return fail(link);
    const damage = obviousDamage(file) ?? logDamage(file);
    if (damage !== undefined) return fail(explainDamage(file, damage));
    if (!existsSync(file)) makeFile(file);
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT });
    // Exclusive before the first access: the lock is held for as long as the process lives.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    // Nothing may be written before the schema is known to be of this version.
    const newer = newerSchema(database, file);
    if (newer !== undefined) return refuse(database, newer);
    if (!isJournal(database)) return refuse(database, explainDamage(file, "it is not a journal"));
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec(`PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG_BYTES}`);
    database.exec("BEGIN IMMEDIATE; COMMIT");
    const recovered = recoverLargeCommit(database);
    if (!recovered.ok) return refuse(database, explainWaiting(file, recovered.problem));
    migrate(database);
    return succeed(journalOf(database, directory, bounds, identityOf(file)));
  } catch (error) {
    try {
      database?.close();
    } catch {
      // The error of the opening is the better message.
    }
    return fail(explainOpening(file, error));
  }
}

/** More rows and findings than this are written as a large commit. */
const ROWS_AT_ONCE = 1_000;

/** How long to wait for another process to release the lock: long enough for one that is ending. */
const LOCK_TIMEOUT: Millis = 200;

function refuse(database: DatabaseSync, problem: string): Result<never, string> {
  database.close();
  return fail(problem);
}

export function journalOf(
  database: DatabaseSync,
  directory: string,
  bounds: WritingBounds,
  misplaced: () => string | undefined = () => undefined,
): Journal {
  const { finish, ...writing } = writingTo(database, directory, bounds, misplaced);
  return {
    rows: (only) => {
      toEnd(finish());
      return explained(directory, () => readRows(database, only));
    },
    rowCounts: () => explained(directory, () => rowCounts(database)),
    ...writing,
    ...pastOf(database),
    backUp: (at) => backUp(database, directory, at),
    close: () => database.close(),
  };
}

type WritingBounds = JournalBounds & { readonly rowsAtOnce?: () => number };

type Writing = Pick<
  Journal,
  "inPlace" | "damage" | "condemn" | "commit" | "commitInSlices" | "sync"
> &
  FrozenFile & {
    /** Brings in the parts that a large commit has put aside. Throws as SQLite does. */
    readonly finish: () => Slices;
  };

function writingTo(
  database: DatabaseSync,
  directory: string,
  { rowsAtOnce = () => ROWS_AT_ONCE, ...bounds }: WritingBounds,
  misplaced: () => string | undefined,
): Writing {
  const rows = rowWriter(database);
  const { unsynced, ...frozen } = writeAheadLog(database);
  const large = largeCommits(database, rows, unsynced);
  const prune = pruning(database, rows, bounds);
  let damage: string | undefined;
  const inPlace = (): Result<void, string> => {
    const problem = damage ?? misplaced();
    return problem === undefined ? succeed(undefined) : fail(problem);
  };
  // A check may have found damage while something was being written.
  const mustBeSound = (): void => {
    if (damage !== undefined) throw new Error(damage);
  };
  function* written(write: () => Slices): Slices<Result<void, string>> {
    const place = inPlace();
    if (!place.ok) return place;
    try {
      yield* write();
    } catch (error) {
      unsynced.failed();
      if (isDamage(error)) damage = explainDamage(join(directory, JOURNAL_FILE), messageOf(error));
      return fail(damage ?? messageOf(error));
    }
    return place;
  }
  function* write(record: JournalRecord): Slices {
    const isLarge = record.changes.length + record.findings.length > rowsAtOnce();
    const isSynced = isLarge || record.unsynced !== true || unsynced.areMany();
    const transaction = isSynced ? transactionInSlices : unsyncedInSlices;
    unsynced.beforeWrite();
    yield* large.finish();
    if (isLarge) yield* large.commit(record, mustBeSound);
    else
      yield* transaction(database, function* () {
        yield* writeRecord(rows, record);
        prune(record.at);
        mustBeSound();
      });
    unsynced.committed(isSynced);
  }
  const commitInSlices: Journal["commitInSlices"] = (record) => written(() => write(record));
  return {
    ...frozen,
    finish: large.finish,
    inPlace,
    damage: () => damage,
    condemn: (found) => {
      damage = found;
    },
    commit: (record) => toEnd(commitInSlices(record)),
    commitInSlices,
    sync: () => toEnd(written(inOneSlice(unsynced.sync))),
  };
}

/** The same values; if the read meets damage, the error says what people can do about it. */
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
