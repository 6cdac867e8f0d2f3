import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "../../domain/time.ts";
import { storedFinding, type StoredFinding } from "./rows.ts";

/** The past as the journal has it, for explanations. */
export type JournalPast = {
  /**
   * What was found about one alert up to an instant, newest first: how it moved, why nothing was sent,
   * what became of what was.
   */
  readonly historyOf: (alert: string, until: Instant) => StoredFinding[];
  /**
   * What holds, kills, storms, quarantines, proposals, commands and reloads left from one instant
   * up to another, newest first, within a bounded number of findings.
   */
  readonly orders: (from: Instant, until: Instant) => StoredFinding[];
  /** The instant of the oldest finding; undefined if there is none. */
  readonly reachesBackTo: () => Instant | undefined;
};

/** As much of an alert's past as a person reads. */
const MOST_HISTORY = 500;

/** So many findings of all types are searched for orders: some milliseconds' worth. */
const MOST_SEARCHED = 20_000;
const ORDERS = [
  "proposed",
  "withdrawn",
  "command",
  "policy",
  "kill",
  "hold",
  "quarantine",
  "storm",
] as const;

export function pastOf(database: DatabaseSync): JournalPast {
  const history = database.prepare(
    "SELECT at, body FROM finding WHERE alert = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT ?",
  );
  const orders = database.prepare(
    `SELECT at, body FROM (
       SELECT seq, at, type, body FROM finding WHERE at >= ? AND at <= ?
       ORDER BY at DESC, seq DESC LIMIT ${MOST_SEARCHED}
     ) WHERE type IN (${ORDERS.map((type) => `'${type}'`).join(", ")}) ORDER BY at DESC, seq DESC LIMIT ?`,
  );
  const oldest = database.prepare("SELECT min(at) AS at FROM finding");
  return {
    historyOf: (alert, until) => history.all(alert, until, MOST_HISTORY).map(storedFinding),
    orders: (from, until) => orders.all(from, until, MOST_HISTORY).map(storedFinding),
    reachesBackTo: () => {
      const at = oldest.get()?.["at"];
      return typeof at === "number" ? at : undefined;
    },
  };
}
