import {
  existsSync,
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

/** A copy of the journal, made while it is in use; consistent, because one connection makes it. */
export type Backup = { readonly file: string; readonly bytes: number };

export const BACKUPS = "backups";
/** How many backups are kept, the newest; the journal needs the disk too. */
export const MOST_BACKUPS = 20;

/** The file of a backup that is made at this instant. */
export function backupFile(dataDirectory: string, at: Instant): string {
  const name = `journal-${formatInstant(at).replaceAll(":", "-")}.sqlite`;
  return join(dataDirectory, BACKUPS, name);
}

/** Writes a backup into the directory `backups` of the data directory. Nothing is overwritten. */
export function backUp(
  database: DatabaseSync,
  dataDirectory: string,
  at: Instant,
): Result<Backup, string> {
  const file = backupFile(dataDirectory, at);
  const unfinished = `${file}.unfinished`;
  if (existsSync(file) || existsSync(unfinished)) return fail(`${file} exists already`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_DIRECTORY });
    // The journal is this process's alone, and each backup is made in one piece: none is being written.
    dropUnfinished(dataDirectory, at);
    // Node's own `backup` works beside the event loop, and fails if a commit falls between two of its steps. This one
    // blocks the loop while it writes, and is whole.
    makePrivateFile(unfinished);
    database.prepare("VACUUM INTO ?").run(unfinished);
    renameSync(unfinished, file);
    dropOldestBackups(dataDirectory);
    return succeed({ file, bytes: statSync(file).size });
  } catch (error) {
    rmSync(unfinished, { force: true });
    return fail(`the backup ${file} could not be written: ${messageOf(error)}`);
  }
}

/** Deletes all but the newest backups. */
export function dropOldestBackups(dataDirectory: string): void {
  const names = namesOf(dataDirectory, /^journal-[\dT.Z-]+\.sqlite$/);
  for (const name of names.slice(0, -MOST_BACKUPS)) drop(dataDirectory, name);
}

/** Deletes what is left of backups that were begun before then and cut off. */
export function dropUnfinished(dataDirectory: string, before: Instant): void {
  const first = basename(backupFile(dataDirectory, before));
  for (const name of namesOf(dataDirectory, /^journal-[\dT.Z-]+\.sqlite\.unfinished(-journal)?$/))
    if (name < first) drop(dataDirectory, name);
}

/** If it cannot be deleted, or another replica was faster, no backup fails for that: the next one tries again. */
function drop(dataDirectory: string, name: string): void {
  try {
    unlinkSync(join(dataDirectory, BACKUPS, name));
  } catch {
    // It stays, or is gone.
  }
}

/** The oldest first. */
function namesOf(dataDirectory: string, pattern: RegExp): readonly string[] {
  const names = readdirSync(join(dataDirectory, BACKUPS));
  return names.filter((name) => pattern.test(name)).toSorted();
}
