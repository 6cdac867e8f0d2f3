import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** Deletes all but the newest backups. Throws if a file cannot be deleted. */
export function dropOldestBackups(dataDirectory: string): void {
  const directory = join(dataDirectory, BACKUPS);
  const names = readdirSync(directory).filter((name) => /^journal-[\dT.Z-]+\.sqlite$/.test(name));
  for (const name of names.toSorted().slice(0, -MOST_BACKUPS)) rmSync(join(directory, name));
}
