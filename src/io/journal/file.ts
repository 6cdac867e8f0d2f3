import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../domain/error-message.ts";
import { saysDiskIsFull } from "../process/free-bytes.ts";
import { isLocked, MOST_OF_NOTHING } from "./database.ts";
import { migrate } from "./schema.ts";

/** The journal as a file: how it is made, and why it cannot be used. */

export const JOURNAL_FILE = "journal.sqlite";
/** The file beside it with the newest commits, until the last process has closed the journal. */
export const LOG_SUFFIX = "-wal";

const NEW_SUFFIX = ".new-";

/** Permissions of the data directory, and of the files in it: for their owner alone. */
export const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;

/**
 * Makes a directory for its owner alone, and its parents with the usual permissions. The recursive option would try
 * forever if a parent takes no directories, such as /proc.
 */
export function makeDirectory(directory: string, mode = PRIVATE_DIRECTORY): void {
  if (existsSync(directory) && statSync(directory).isDirectory()) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectory(parent, USUAL_DIRECTORY);
  mkdirSync(directory, mode);
}

const USUAL_DIRECTORY = 0o777;

/**
 * Makes an empty file that only its owner may read, if there is none. SQLite takes an empty file for a new database,
 * and gives the files beside it the same permissions.
 */
export function makePrivateFile(file: string): void {
  closeSync(openSync(file, "a", PRIVATE_FILE));
}

/**
 * Makes an empty journal. It gets its name once it is whole, so that a process that dies meanwhile leaves no partial
 * journal, and an empty file is surely damaged.
 */
export function makeFile(file: string): void {
  const directory = dirname(file);
  dropLeft(`${file}${NEW_SUFFIX}`);
  const made = `${file}${NEW_SUFFIX}${randomUUID()}`;
  makePrivateFile(made);
  const database = new DatabaseSync(made);
  try {
    // Before it has its name there is nothing to lose, so this waits for the disk once, and not at each step.
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    migrate(database);
  } finally {
    database.close();
  }
  waitForDisk(made, "r+");
  giveName(made, file);
  // The name must be as durable as the data.
  waitForDisk(directory, "r");
}

/** Deletes what killed processes have left: the files whose path begins so. */
export function dropLeft(start: string): void {
  const directory = dirname(start);
  for (const name of readdirSync(directory)) {
    if (name.startsWith(basename(start))) rmSync(join(directory, name), { force: true });
  }
}

function waitForDisk(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Gives a file that is whole its name. If another has it by then, that one stays, and false is returned. */
export function giveName(made: string, file: string): boolean {
  try {
    linkSync(made, file);
  } catch {
    // Not every file system has hard links.
    const isTaken = existsSync(file);
    if (isTaken) rmSync(made, { force: true });
    else renameSync(made, file);
    return !isTaken;
  }
  rmSync(made, { force: true });
  return true;
}

/** Whether a path is that of a file, such as a backup, rather than of a directory. */
export function isPlainFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Why a file is surely damaged, without opening it; undefined if it may be sound, or does not exist. */
export function obviousDamage(file: string): string | undefined {
  if (existsSync(file)) {
    const size = isPlainFile(file) ? statSync(file).size : Infinity;
    if (size > MOST_OF_NOTHING) return undefined;
    return `it is empty, ${size === 0 ? "0 bytes" : "1 byte"}; aggwatch never leaves it so`;
  }
  return existsSync(`${file}${LOG_SUFFIX}`)
    ? `it is gone, and its ${JOURNAL_FILE}${LOG_SUFFIX} is still there`
    : undefined;
}

/**
 * Why a journal that is a link is refused: SQLite keeps its log beside the file that the link leads to, and would not
 * see one that is beside the link. Undefined if it is none, or a backup, which has no log.
 */
export function linkProblem(file: string): string | undefined {
  // Nor is anything in what is a file itself, or missing.
  if (basename(file) !== JOURNAL_FILE || !existsSync(`${dirname(file)}/.`)) return undefined;
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  return `${file} is a symbolic link. Keep the file itself there, with its ${JOURNAL_FILE}${LOG_SUFFIX} if there is one; the whole directory may be a link, or give another with --data.`;
}

/** The journal that a path means: a file, such as a backup, or that of a data directory. */
export function journalFileAt(path: string): string {
  return isPlainFile(path) ? path : join(path, JOURNAL_FILE);
}

/** Bytes of the journal and of its write-ahead log; a file that is missing or inaccessible counts as 0. */
export function journalBytes(path: string): number {
  return fileBytes(journalFileAt(path));
}

/** The same of a file. */
export function fileBytes(file: string): number {
  return ["", LOG_SUFFIX].reduce((sum, suffix) => {
    try {
      return sum + statSync(file + suffix).size;
    } catch {
      return sum;
    }
  }, 0);
}

export function explainOpening(file: string, error: unknown): string {
  const message = messageOf(error);
  if (isLocked(error)) {
    return `${file} is in use by another aggwatch. Two watchdogs on one journal would act twice: stop the other one, or give this one a data directory of its own (--data).`;
  }
  if (isDamage(error)) return explainDamage(file, message);
  if (saysDiskIsFull(message)) {
    return `${file} cannot be opened: its disk is full (${message}). Free some room, and try again: nothing is lost.`;
  }
  if (/EEXIST|ENOTDIR/.test(message)) {
    return `the data directory ${dirname(file)} cannot be used: a file is in its way. Give another directory with --data.`;
  }
  const log = `${file}${LOG_SUFFIX}`;
  const refused =
    refusalOf(file) ?? refusalOf(log) ?? writingRefusalOf(file) ?? writingRefusalOf(log);
  const isOfDirectory = refusedAccess(dirname(file), constants.W_OK) !== undefined;
  if (refused !== undefined && !isOfDirectory) return refused;
  if (/EACCES|EPERM|EROFS|ENOENT|readonly/.test(message)) {
    return `the data directory ${dirname(file)} cannot be written (${message}). Make it writable for the user that aggwatch runs as, or give another with --data.`;
  }
  if (refused !== undefined) return refused;
  return `${file} cannot be opened: ${message}. Is it a plain file, in a directory that is writable, and on a disk with room?`;
}

/** The message if a large commit is complete in a file, and could not be brought into its rows. */
export function explainWaiting(file: string, message: string): string {
  return `${file} cannot be opened: a commit waits to be brought in, and that failed (${message}). Free some room on its disk, and start again: nothing is lost.`;
}

/** Why the system refuses to read a file, which SQLite does not say; undefined if it can be read, or does not exist. */
export function refusalOf(file: string): string | undefined {
  const message = refusedAccess(file, constants.R_OK);
  if (message === undefined) return undefined;
  const isOfOther = /EACCES|EPERM/.test(message);
  const advice = isOfOther ? ". Run aggwatch and its commands always as the same user" : "";
  return `${file} cannot be read (${message})${advice}.`;
}

/** The same for writing: SQLite says that the disk failed. */
function writingRefusalOf(file: string): string | undefined {
  const message = refusedAccess(file, constants.W_OK);
  if (message === undefined) return undefined;
  return `${file} cannot be written (${message}). Make it writable for the user that aggwatch runs as.`;
}

function refusedAccess(file: string, mode: number): string | undefined {
  try {
    accessSync(file, mode);
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    return /ENOENT|ENOTDIR/.test(message) ? undefined : message;
  }
}

export function explainDamage(file: string, what: string): string {
  const data = dirname(file);
  return `${file} is damaged (${what}). Keep a copy of it. \`aggwatch journal check --data ${data}\` says what is wrong, \`aggwatch journal repair --data ${data}\` saves what can be read, and DATA/backups has what \`aggwatch journal backup\` made. Moved away, aggwatch starts with an empty journal and knows nothing of past alerts and remediations.`;
}

/** Whether SQLite read something that it cannot have written. */
export function isDamage(error: unknown): boolean {
  return /not a database|malformed|corrupt/i.test(messageOf(error));
}

/** A daemon holds its lock for as long as it lives. */
export function isInUse(file: string): boolean {
  // SQLite deletes the log of an empty file.
  if (obviousDamage(file) !== undefined) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    // So that SQLite makes no files beside the journal.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    // Opening it for reading finds any other problem.
    return isLocked(error);
  } finally {
    database?.close();
  }
}
