import { existsSync, statSync } from "node:fs";
import { messageOf } from "../../domain/error-message.ts";
import { JOURNAL_FILE, LOG_SUFFIX } from "./file.ts";

/**
 * Notices if the open files no longer have their names. SQLite goes on writing to a file that was deleted, moved or
 * replaced: its commits are lost with the process, and because locks belong to the file and not to the name, a second
 * process can open another journal in its place.
 *
 * Call it while the journal is open: it remembers the files that have the names now. What it gives says why writes do
 * not reach the journal; undefined if they do.
 */
export function identityOf(file: string): () => string | undefined {
  const opened = [file, `${file}${LOG_SUFFIX}`].map((path) => ({
    path,
    is: numbersOf(path).found,
  }));
  return () => {
    for (const { path, is } of opened) {
      const now = numbersOf(path);
      if (now.found === undefined || now.found !== is) return explain(path, now);
    }
    return undefined;
  };
}

type Numbers =
  | { readonly found: string }
  | { readonly found?: undefined; readonly problem: string };

/** Device and inode: no other file has the same two while this one is open. */
function numbersOf(path: string): Numbers {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return { found: `${dev}:${ino}` };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function explain(path: string, now: Numbers): string {
  const what =
    now.found === undefined
      ? `${path} is gone while it is in use (${now.problem})`
      : `another file took the place of ${path} while it was in use`;
  const advice =
    "put the file back that was there. If you cannot, save what it held by `aggwatch journal backup` before a restart, which loses it";
  // The log itself has none.
  if (!existsSync(`${path}${LOG_SUFFIX}`)) return `${what}; ${advice}`;
  // SQLite would bring the log of the one file into the other, and harm it.
  return `${what}; ${advice}, and move ${JOURNAL_FILE}${LOG_SUFFIX} away before you start it again: it belongs to the file that was there`;
}
