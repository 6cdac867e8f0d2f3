import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../process/error-message.ts";
import { BACKUPS } from "./backup.ts";
import { JOURNAL_FILE } from "./file.ts";
import { REPLIES_FILE } from "./replies-store.ts";

/** The data directory is its owner's alone: what is watched, who decided what, and replies as they came are in it. */

/** Every bit but the owner's; those beyond, as setgid, are left as they are. */
const OF_OTHERS = 0o077;
const ALL_BITS = 0o7777;

/** A directory or file that others had access to. */
export type OpenToOthers = {
  readonly path: string;
  /** The permissions that it had, as `0755`. */
  readonly mode: string;
  /** Why it has them still; undefined if it is closed now. */
  readonly problem?: string;
};

/**
 * Takes the access of all but the owner from a data directory that exists, and from aggwatch's own files in it. Gives
 * what was open to others. What belongs to another user stays as it is, as volumes of Kubernetes do, and so does a
 * directory that others use too, as /tmp.
 */
export function closeToOthers(directory: string): readonly OpenToOthers[] {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const backups = join(directory, BACKUPS);
  const names = namesIn(directory);
  const foreign = names.filter((name) => !isOwn(name) && !BESIDE.has(name));
  return [
    ...(foreign.length === 0 ? closeOne(directory) : leaveShared(directory, foreign)),
    ...names.flatMap((name) =>
      isOwn(name) || name === BACKUPS ? closeOne(join(directory, name)) : [],
    ),
    ...namesIn(backups).flatMap((name) => closeOne(join(backups, name))),
  ];
}

/** With what belongs to them: `journal.sqlite-wal`, `journal.sqlite.repaired-…`. */
function isOwn(name: string): boolean {
  return [JOURNAL_FILE, REPLIES_FILE].some((own) => name.startsWith(own));
}

/** What may be in a data directory of aggwatch's own besides: the kill file, and what a file system puts there. */
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
  // Some file systems, as CIFS, take the change and keep their own.
  const left = modeOf(path) ?? 0;
  return (left & OF_OTHERS) === 0 ? [found] : [{ ...found, problem: "its file system keeps them" }];
}

function modeText(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.mode & ALL_BITS;
}
