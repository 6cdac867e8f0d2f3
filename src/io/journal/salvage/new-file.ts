import { dirname } from "node:path";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { messageOf } from "../../../domain/error-message.ts";
import { saysDiskIsFull } from "../../process/free-bytes.ts";
import type { Instant } from "../../../domain/time.ts";

/** The new file that a repair writes. */

/** The new file cannot be written, and nothing is wrong with the damaged one. */
export class NotWritten extends Error {}

/** Why the new file cannot be written, with what helps. */
export function explainNotWritten(file: string, error: unknown): string {
  const message = messageOf(error);
  return `${file} cannot be written (${message}).${adviceFor(message, dirname(file))}`;
}

function adviceFor(message: string, directory: string): string {
  if (saysDiskIsFull(message)) return " Free some room on its disk.";
  if (/I\/O|EIO/.test(message)) return " Is its disk full, or does it fail?";
  if (/EACCES|EPERM|EROFS|readonly|unable to open/.test(message))
    return ` Make ${directory} writable, or repair a copy of it in a directory that is (--data).`;
  return "";
}

/** Writes a row into the new file; returns how many were written. A row that its table refuses is a damaged one. */
export function saving(made: DatabaseSync, sql: string): (...values: SQLOutputValue[]) => number {
  const insert = made.prepare(sql);
  return (...values) => {
    try {
      return Number(insert.run(...values).changes);
    } catch (error) {
      const message = messageOf(error);
      if (/constraint|cannot store/.test(message)) throw error;
      throw new NotWritten(message);
    }
  };
}

/** The first letter of the ids in each table that numbers its rows. */
const COUNTED = { remediation: "r", proposal: "p", hold: "h", silence: "s" } as const;

/** No id may be given twice, even if the last number was lost. */
export function restoreCounters(made: DatabaseSync): void {
  const write = made.prepare(
    "INSERT INTO state (name, key, value) VALUES ('counter', ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const known = made.prepare("SELECT value FROM state WHERE name = 'counter' AND key = ?");
  const texts = made.prepare(
    "SELECT key AS text FROM state WHERE name <> 'counter' UNION ALL SELECT value FROM state WHERE name = 'proposal' UNION ALL SELECT body FROM finding",
  );
  const highest = new Map<string, number>();
  for (const { text } of texts.iterate()) {
    for (const [name, letter] of Object.entries(COUNTED)) {
      const ids = new RegExp(`\\b${letter}(\\d{1,12})\\b`, "g");
      for (const [, digits] of String(text).matchAll(ids)) {
        highest.set(name, Math.max(highest.get(name) ?? 0, Number(digits)));
      }
    }
  }
  for (const [name, number] of highest) {
    if (Number(known.get(name)?.["value"] ?? 0) < number) write.run(name, String(number));
  }
}

export function stopActing(made: DatabaseSync, at: Instant): void {
  const kill = {
    source: "operator",
    since: at,
    by: "aggwatch journal repair",
    reason: "the journal was repaired and lacks what could not be read: look at it, then unkill",
  };
  made
    .prepare("INSERT OR REPLACE INTO state (name, key, value) VALUES ('kill', 'operator', ?)")
    .run(JSON.stringify(kill));
}
