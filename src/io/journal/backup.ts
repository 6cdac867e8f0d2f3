import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import { makePrivateFile, PRIVATE_DIRECTORY } from "./file.ts";
import { freeBytes } from "../process/free-bytes.ts";

/** A copy of the journal, made while it is in use; consistent, because one connection makes it. */
export type Backup = {
  readonly file: string;
  readonly bytes: number;
  /** Older ones that should be deleted, and cannot be. */
  readonly undeleted: readonly Undeleted[];
};

type Undeleted = { readonly file: string; readonly problem: string };

export const BACKUPS = "backups";
/** How many backups of a journal in a file are kept, the newest; the journal needs the disk too. */
export const MOST_BACKUPS = 20;
/** The same of a shared journal: the data directory of a replica is small, and goes with it. */
export const MOST_BACKUPS_OF_REPLICA = 3;

/** What the journal is: backups of one kind neither delete nor count those of the other beside them. */
type Kind = "journal" | "replicas";
const MOST: Readonly<Record<Kind, number>> = {
  journal: MOST_BACKUPS,
  replicas: MOST_BACKUPS_OF_REPLICA,
};

/** The file of a backup that is made at this instant. */
export function backupFile(dataDirectory: string, at: Instant, kind: Kind = "journal"): string {
  const name = `${kind}-${formatInstant(at).replaceAll(":", "-")}.sqlite`;
  return join(dataDirectory, BACKUPS, name);
}

/**
 * Writes a backup into the directory `backups` of the data directory. Nothing is overwritten, and the journal keeps as
 * much room as the backup takes: a full disk would stop all actions.
 */
export function backUp(
  database: DatabaseSync,
  dataDirectory: string,
  at: Instant,
  freeIn: (place: string) => number = freeBytes,
): Result<Backup, string> {
  const file = backupFile(dataDirectory, at);
  const unfinished = `${file}.unfinished`;
  if (existsSync(file) || existsSync(unfinished)) return fail(`${file} exists already`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_DIRECTORY });
    // The journal is this process's alone, and each backup is made in one piece: none is being written.
    const cutOff = dropUnfinished(dataDirectory, at);
    const room = roomProblem(file, sizeOf(database), freeIn);
    if (room !== undefined) return fail(room);
    // Node's own `backup` works beside the event loop, and fails if a commit falls between two of its steps. This one
    // blocks the loop while it writes, and is whole. No other connection could read the journal meanwhile: the lock of
    // this one is exclusive, and what the log holds is known to its memory alone.
    makePrivateFile(unfinished);
    database.prepare("VACUUM INTO ?").run(unfinished);
    renameSync(unfinished, file);
    const undeleted = [...cutOff, ...dropOldestBackups(dataDirectory, at)];
    return succeed({ file, bytes: statSync(file).size, undeleted });
  } catch (error) {
    if (existsSync(unfinished)) rmSync(unfinished);
    return fail(`the backup ${file} could not be written: ${messageOf(error)}`);
  }
}

/** Why a backup that takes up to so many bytes is not made; undefined if it may be. */
export function roomProblem(
  file: string,
  bytes: number,
  freeIn: (place: string) => number,
): string | undefined {
  const free = freeIn(dirname(file));
  if (free >= 2 * bytes) return undefined;
  return `the backup ${file} is not made, as it would leave too little room: it takes up to ${megabytes(bytes)} of ${megabytes(free)} that are free, and half must stay. Delete older backups in ${dirname(file)}, or write it elsewhere.`;
}

/** Of the whole database, also what is not in its file yet. */
function sizeOf(database: DatabaseSync): number {
  const [pages, size] = ["page_count", "page_size"].map((pragma) =>
    Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]),
  );
  return (pages ?? 0) * (size ?? 0);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

/**
 * Deletes all but the newest backups, after one was made; returns those that it cannot delete. Those that are named after
 * an instant to come were made before the machine's clock was set back, and so are the oldest.
 */
export function dropOldestBackups(
  dataDirectory: string,
  at: Instant,
  kind: Kind = "journal",
): readonly Undeleted[] {
  const newest = basename(backupFile(dataDirectory, at, kind));
  const names = namesOf(dataDirectory, kind, /^[\dT.Z-]+\.sqlite$/);
  const [toCome, past] = [
    names.filter((one) => one > newest),
    names.filter((one) => one <= newest),
  ];
  return drop(dataDirectory, [...toCome, ...past].slice(0, -MOST[kind]));
}

/** Deletes what is left of backups that were begun before then and cut off; returns what it cannot delete. */
export function dropUnfinished(
  dataDirectory: string,
  before: Instant,
  kind: Kind = "journal",
): readonly Undeleted[] {
  const first = basename(backupFile(dataDirectory, before, kind));
  const names = namesOf(dataDirectory, kind, /^[\dT.Z-]+\.sqlite\.unfinished(-journal)?$/);
  return drop(
    dataDirectory,
    names.filter((name) => name < first),
  );
}

/** No backup fails because another cannot be deleted: the next one tries again. */
function drop(dataDirectory: string, names: readonly string[]): readonly Undeleted[] {
  return names.flatMap((name) => {
    const file = join(dataDirectory, BACKUPS, name);
    try {
      unlinkSync(file);
      return [];
    } catch (error) {
      // Another replica may have been faster.
      return lstatSync(file, { throwIfNoEntry: false }) === undefined
        ? []
        : [{ file, problem: messageOf(error) }];
    }
  });
}

/** The oldest first. */
function namesOf(dataDirectory: string, kind: Kind, rest: RegExp): readonly string[] {
  const names = readdirSync(join(dataDirectory, BACKUPS));
  const start = `${kind}-`;
  return names
    .filter((name) => name.startsWith(start) && rest.test(name.slice(start.length)))
    .toSorted();
}
