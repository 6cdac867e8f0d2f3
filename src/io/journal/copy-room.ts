import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { messageOf } from "../../domain/error-message.ts";
import { freeBytes, saysDiskIsFull } from "../process/free-bytes.ts";
import { MOST_OF_NOTHING } from "./database.ts";
import { JOURNAL_FILE, LOG_SUFFIX } from "./file.ts";
import { pageBytesOfLog } from "./log-damage.ts";

/** Where a journal is copied to, to look at the copy. */

/** Copies a journal and its log. In the place of a file that is empty or gone, there is a page to be read from the log. */
export function copyInto(room: string, file: string): void {
  const copy = join(room, JOURNAL_FILE);
  const log = `${file}${LOG_SUFFIX}`;
  if (existsSync(log)) copyFileSync(log, `${copy}${LOG_SUFFIX}`);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > MOST_OF_NOTHING) copyFileSync(file, copy);
  else writeFileSync(copy, Buffer.alloc(pageBytesOfLog(log)));
}

/**
 * Makes and fills a directory for a copy, in the first place that can hold it and all that is needed after it. The data
 * directory comes first: it has held one journal, and the temporary directory of a container may be memory, or small.
 * But it may be read-only. If no place has so much room, each is tried, as something may be deleted meanwhile.
 */
export function makeRoom(
  places: readonly string[],
  needed: (place: string) => number,
  fill: (room: string) => void,
  freeIn: typeof freeBytes = freeBytes,
): Result<string, string> {
  const problems: string[] = [];
  const lacking = new Set(places.filter((place) => freeIn(place) < needed(place)));
  for (const place of [...places.filter((one) => !lacking.has(one)), ...lacking]) {
    let room: string | undefined;
    try {
      room = mkdtempSync(join(place, COPY));
      fill(room);
      return succeed(room);
    } catch (error) {
      if (room !== undefined) {
        rmSync(room, { recursive: true, force: true });
        if (!saysDiskIsFull(messageOf(error))) throw error;
      }
      problems.push(`${place} (${messageOf(error)})`);
    }
  }
  return fail(`there is no room for a copy of the journal to look at: ${problems.join(", ")}`);
}

/** Begins as the journal does, so that what a killed process left counts as aggwatch's own. */
const COPY = `${JOURNAL_FILE}.copy-`;
