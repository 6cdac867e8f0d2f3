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

/** What explanations and lists read; a journal that is elsewhere answers later, and rejects if it is away. */
export type JournalReading = {
  readonly [Name in keyof JournalPast]: (
    ...args: Parameters<JournalPast[Name]>
  ) => ReturnType<JournalPast[Name]> | Promise<ReturnType<JournalPast[Name]>>;
} & {
  /** The newest findings first. */
  readonly findings: (limit: number) => StoredFinding[] | Promise<StoredFinding[]>;
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

/** What is asked of the findings; PostgreSQL reads the same SQL as SQLite. */
export const PAST_SQL = {
  recent: "SELECT at, body FROM finding ORDER BY seq DESC LIMIT ?",
  history: `SELECT at, body FROM finding WHERE alert = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT ${MOST_HISTORY}`,
  orders: `SELECT at, body FROM (
       SELECT seq, at, type, body FROM finding WHERE at >= ? AND at <= ?
       ORDER BY at DESC, seq DESC LIMIT ${MOST_SEARCHED}
     ) AS searched WHERE type IN (${ORDERS.map((type) => `'${type}'`).join(", ")})
     ORDER BY at DESC, seq DESC LIMIT ${MOST_HISTORY}`,
  oldest: "SELECT min(at) AS at FROM finding",
} as const;

export function pastOf(database: DatabaseSync): JournalPast {
  const history = database.prepare(PAST_SQL.history);
  const orders = database.prepare(PAST_SQL.orders);
  const oldest = database.prepare(PAST_SQL.oldest);
  return {
    historyOf: (alert, until) => history.all(alert, until).map(storedFinding),
    orders: (from, until) => orders.all(from, until).map(storedFinding),
    reachesBackTo: () => {
      const at = oldest.get()?.["at"];
      return typeof at === "number" ? at : undefined;
    },
  };
}
