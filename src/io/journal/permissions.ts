import { chmodSync, readdirSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../domain/error-message.ts";
import { BACKUPS } from "./backup.ts";
import { JOURNAL_FILE } from "./file.ts";
import { REPLIES_FILE } from "./replies-store.ts";

/** The data directory is for its owner alone: it holds what is watched, who decided what, and replies as they came. */

/** Every bit but the owner's; further bits, such as setgid, stay. */
const OF_OTHERS = 0o077;
const ALL_BITS = 0o7777;

/** A directory or file that others had access to. */
export type OpenToOthers = {
  readonly path: string;
  /** The permissions that it had, such as `0755`. */
  readonly mode: string;
  /** Why it still has them; undefined if it is closed now. */
  readonly problem?: string;
};

/**
 * Removes the access of all but the owner to a data directory, if it exists, and to aggwatch's own files in it. Returns
 * those that were open to others. Files of another user stay as they are, such as volumes of Kubernetes, and so does a
 * directory that others use too, such as /tmp.
 */
export function closeToOthers(directory: string): readonly OpenToOthers[] {
  if (statusOf(directory)?.isDirectory() !== true) return [];
  const backups = join(directory, BACKUPS);
  const own = namesIn(directory).filter((name) => isOwn(name));
  return [
    ...closeDirectory(directory, (name) => isOwn(name) || BESIDE.has(name)),
    // It may be a link to where other programs keep theirs.
    ...closeDirectory(backups, isBackup),
    ...own.flatMap((name) => closeOne(join(directory, name))),
    ...namesIn(backups).flatMap((name) => (isBackup(name) ? closeOne(join(backups, name)) : [])),
  ];
}

function closeDirectory(
  path: string,
  isExpected: (name: string) => boolean,
): readonly OpenToOthers[] {
  const foreign = namesIn(path).filter((name) => !isExpected(name));
  return foreign.length === 0 ? closeOne(path) : leaveShared(path, foreign);
}

/** Also one that is unfinished, or has the name that a person gave it. */
function isBackup(name: string): boolean {
  return name.includes(".sqlite");
}

/** Also the files beside them: `journal.sqlite-wal`, `journal.sqlite.repaired-…`. */
function isOwn(name: string): boolean {
  return [JOURNAL_FILE, REPLIES_FILE].some((own) => name.startsWith(own));
}

/**
 * What else may be in a data directory of aggwatch's own: backups, the kill file, and a directory of the file system.
 */
const BESIDE: ReadonlySet<string> = new Set([BACKUPS, "KILL", "lost+found"]);

const MOST_NAMES = 3;

function leaveShared(path: string, foreign: readonly string[]): readonly OpenToOthers[] {
  const mode = modeOf(path) ?? 0;
  if ((mode & OF_OTHERS) === 0) return [];
  const named = [...foreign.slice(0, MOST_NAMES), ...(foreign.length > MOST_NAMES ? ["…"] : [])];
  const problem = `it holds what is not aggwatch's (${named.join(", ")}): give aggwatch a directory of its own`;
  return [{ path, mode: modeText(mode), problem }];
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch {
    // It is not there, or cannot be read; opening the journal says so.
    return [];
  }
}

function closeOne(path: string): readonly OpenToOthers[] {
  const mode = modeOf(path);
  if (mode === undefined || (mode & OF_OTHERS) === 0) return [];
  const found = { path, mode: modeText(mode) };
  try {
    chmodSync(path, mode & ~OF_OTHERS);
  } catch (error) {
    return [{ ...found, problem: messageOf(error) }];
  }
  // Some file systems, such as CIFS, accept the change and keep their own permissions.
  const left = modeOf(path) ?? 0;
  return (left & OF_OTHERS) === 0 ? [found] : [{ ...found, problem: "its file system keeps them" }];
}

function modeText(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

function modeOf(path: string): number | undefined {
  const found = statusOf(path);
  return found === undefined ? undefined : found.mode & ALL_BITS;
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // It is not there, or cannot be reached; opening the journal says so.
    return undefined;
  }
}
