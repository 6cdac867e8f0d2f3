import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { inOneSlice, type Slices } from "../../domain/slices.ts";
import type { Instant } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import type { freeBytes } from "../process/free-bytes.ts";
import { copyInto, makeRoom } from "./copy-room.ts";
import { databaseInSlices, versionOf } from "./database.ts";
import {
  dropLeft,
  explainOpening,
  fileBytes,
  giveName,
  isInUse,
  isPlainFile,
  JOURNAL_FILE,
  journalFileAt,
  linkProblem,
  LOG_SUFFIX,
  obviousDamage,
  refusalOf,
} from "./file.ts";
import { contentChecks, firstProblems } from "./inspect.ts";
import { recoverIfPossible } from "./large-commit.ts";
import { logDamage } from "./log-damage.ts";
import { EXTENT, extentOf, instantIn, type FindingsExtent } from "./past.ts";
import { newerSchema } from "./schema.ts";
import { countRows } from "./rows.ts";

/**
 * Tools for a journal that no process has open. All of them read a copy, so that the file never changes, not even by a
 * checkpoint of its write-ahead log. They yield between their stages.
 */
export type JournalInfo = FindingsExtent & {
  readonly file: string;
  readonly bytes: number;
  readonly schema: number;
  /** Rows of state, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** When the last step was committed. */
  readonly lastAt: Instant | undefined;
};

export type JournalCheck = {
  readonly problems: readonly string[];
  /** A newer aggwatch wrote it: that is its only problem, and it may well be sound. */
  readonly isNewer: boolean;
  /** Undefined if the damage does not let it be read. */
  readonly info: JournalInfo | undefined;
};

/** Called with the next stage; a `count` updates the stage. */
export type OnProgress = (stage: string, how?: "count") => void;

/**
 * Checks integrity, every row and the schema of the journal of a data directory, or of a backup. Fails if it is in use,
 * or does not exist.
 */
export function* checkJournal(
  from: string,
  onProgress: OnProgress = () => undefined,
): Slices<Result<JournalCheck, string>> {
  onProgress("copying it, to look at the copy");
  const content = function* (database: DatabaseSync, file: string) {
    recoverIfPossible(database);
    let info: JournalInfo | undefined;
    let newer: string | undefined;
    const problems = yield* firstProblems([
      () => [logDamage(file) ?? []].flat(),
      () => {
        newer = newerSchema(database, file);
        return [];
      },
      () => {
        info = infoOf(database, file);
        return info.schema === 0 ? ["it is not a journal: it has no schema"] : [];
      },
      ...contentChecks(database, onProgress).map(
        (check) => () => (newer === undefined ? check() : []),
      ),
    ]);
    // Only the newer version can find other problems: its rows may look strange to this one.
    const isNewer = newer !== undefined;
    return succeed({ problems: newer === undefined ? problems : [newer], isNewer, info });
  };
  const path = journalFileAt(from);
  return yield* copyInSlices(dirname(path), content, { file: path });
}

/** Copies the journal of a data directory, or a backup, consistently, into a file that is not there yet. */
export function* copyJournal(
  from: string,
  target: string,
  onProgress?: OnProgress,
): Slices<Result<number, string>> {
  if (existsSync(target)) return fail(existsAlready(target));
  const file = journalFileAt(from);
  const checked = yield* checkJournal(from, onProgress);
  if (!checked.ok) return checked;
  const { problems, isNewer } = checked.value;
  const [problem] = problems;
  if (problem !== undefined) return fail(isNewer ? problem : damagedText(file, problem));
  onProgress?.("writing the copy");
  const work = (database: DatabaseSync): Result<number, string> => {
    recoverIfPossible(database);
    const copy = String(database.location());
    // Brings the write-ahead log into the file, which is then complete by itself.
    database.exec("PRAGMA journal_mode = DELETE");
    database.close();
    // It gets its name once it is whole: a part of a backup must not be taken for one. Another process may write one too.
    const start = `${target}.unfinished-`;
    const unfinished = `${start}${randomUUID()}`;
    try {
      copyFileSync(copy, unfinished);
      if (!giveName(unfinished, target)) return fail(existsAlready(target));
    } catch (error) {
      if (existsSync(unfinished)) rmSync(unfinished);
      return fail(`${target} cannot be written: ${messageOf(error)}`);
    }
    try {
      // Whoever still writes one is refused anyway.
      dropLeft(start);
    } catch {
      // The backup is whole all the same.
    }
    return succeed(statSync(target).size);
  };
  return yield* copyInSlices(dirname(file), inOneSlice(work), { target, file });
}

function existsAlready(target: string): string {
  return `${target} exists already, and nothing is overwritten: give another file`;
}

type CopyOptions = {
  readonly target?: string;
  readonly freeIn?: typeof freeBytes;
  /** Default: the journal of the directory. */
  readonly file?: string;
  /** The file is empty or gone, and its log is there: what is in the log is read. */
  readonly ofLogAlone?: boolean;
};

/**
 * Runs work on a copy of the journal, and deletes the copy; so does a `return` of the slices. `target` is a file that
 * the work writes meanwhile, as large as the journal at the most.
 */
export function* copyInSlices<Value>(
  directory: string,
  work: (database: DatabaseSync, file: string) => Slices<Result<Value, string>>,
  { target, freeIn, file = join(directory, JOURNAL_FILE), ofLogAlone = false }: CopyOptions = {},
): Slices<Result<Value, string>> {
  yield;
  const refused = refusalOf(file) ?? linkProblem(file);
  if (refused !== undefined) return fail(refused);
  const damage = obviousDamage(file);
  if (damage !== undefined && !ofLogAlone) return fail(emptyText(file, damage));
  if (!existsSync(file) && !ofLogAlone) return fail(missingText(directory, file));
  let room: Result<string, string>;
  try {
    if (isInUse(file)) return fail(`${file} is in use by a running aggwatch: stop it first.`);
    const bytes = fileBytes(file);
    const needed = (place: string): number =>
      target !== undefined && isOnOneDisk(place, dirname(target)) ? 2 * bytes : bytes;
    room = makeRoom([directory, tmpdir()], needed, (path) => copyInto(path, file), freeIn);
  } catch (error) {
    return fail(explainOpening(file, error));
  }
  if (!room.ok) return room;
  const copy = join(room.value, JOURNAL_FILE);
  try {
    return yield* databaseInSlices(
      () => new DatabaseSync(copy),
      (database) => work(database, file),
      (error) => explainOpening(file, error),
    );
  } finally {
    rmSync(room.value, { recursive: true, force: true });
  }
}

/** Of one that is not there; a file may have been given in the place of its directory. */
function missingText(directory: string, file: string): string {
  if (!isPlainFile(directory))
    return `there is no journal in ${directory}: ${basename(file)} is missing`;
  const where =
    basename(directory) === JOURNAL_FILE
      ? `give the directory that it is in: --data ${dirname(directory)}`
      : `move it into a directory, as ${JOURNAL_FILE}, and give that with --data`;
  return `${directory} is a file, and a data directory is needed: ${where}.`;
}

/** Of a file that is to be copied, and may be a backup. */
function damagedText(file: string, what: string): string {
  return `${file} is damaged: ${what}. Of one in a data directory, \`aggwatch journal repair\` saves what can be read.`;
}

/** Of one that is not opened. */
function emptyText(file: string, damage: string): string {
  const rest = hasLogAlone(file)
    ? `\`aggwatch journal repair\` saves what its ${JOURNAL_FILE}${LOG_SUFFIX} has`
    : "There is nothing to be read from it";
  return `${file}: ${damage}. ${rest}.`;
}

/** Whether a file is empty or gone, and its log may still have a part of the journal. */
export function hasLogAlone(file: string): boolean {
  return obviousDamage(file) !== undefined && fileBytes(file) > 0;
}

function isOnOneDisk(one: string, other: string): boolean {
  try {
    return statSync(one).dev === statSync(other).dev;
  } catch {
    return true;
  }
}

function infoOf(database: DatabaseSync, file: string): JournalInfo {
  const schema = versionOf(database);
  const has = schema > 0;
  const last = has ? database.prepare(LAST_STEP).get() : undefined;
  return {
    file,
    bytes: fileBytes(file),
    schema,
    rows: has ? countRows(database) : {},
    ...extentOf(has ? database.prepare(EXTENT).get() : undefined),
    lastAt: instantIn(last?.["value"]),
  };
}

const LAST_STEP = "SELECT value FROM state WHERE name = 'counter' AND key = 'at'";
