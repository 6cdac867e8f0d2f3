import { constants, inflateRawSync } from "node:zlib";
import type { DatabaseSync } from "node:sqlite";
import type { Finding } from "../../domain/finding.ts";
import { HOME } from "../../domain/lease.ts";
import type { Instant } from "../../domain/time.ts";
import {
  packedPage,
  pagesOf,
  RECORD_SQL,
  recordUnits,
  recordValues,
  type PackedPage,
} from "./record-pages.ts";
import type { Row } from "./database.ts";
import { storedFinding, type StoredFinding } from "./rows.ts";

/** The past in the journal, for explanations. */
export type JournalPast = {
  /**
   * The findings about one alert up to an instant, newest first: how it moved, why nothing was sent, and the outcomes
   * of actions that were.
   */
  readonly historyOf: (alert: string, until: Instant) => StoredFinding[];
  /**
   * The findings of holds, kills, storms, quarantines, proposals, commands and reloads between two instants, newest
   * first, within a bounded number of findings.
   */
  readonly orders: (from: Instant, until: Instant) => StoredFinding[];
  /**
   * The findings of some types between two instants, the newest first. It searches so many findings of all types;
   * `next` is the last of them, undefined if there are no more.
   */
  readonly between: (span: PastSpan, searched: number) => PastPart;
  /**
   * The last move and the last finding of each alert up to an instant, for so many alerts whose keys come after this
   * one. `next` is the last of these keys; undefined if there are no more.
   */
  readonly alertsAfter: (key: string, until: Instant, limit: number) => AlertsPart;
  /** When `home` started, or its record went on after a gap, the newest first. */
  readonly restarts: (from: Instant, until: Instant) => Restart[];
  /** The instant of the oldest finding; undefined if there is none. */
  readonly reachesBackTo: () => Instant | undefined;
  /** The units that have a record, `home` first. */
  readonly recordUnits: () => readonly string[];
  /**
   * The instants of the first and the last entry of a unit's record, by default `home`'s; undefined if there is none.
   */
  readonly recordSpan: (unit?: string) => RecordSpan | undefined;
  /** The number of the first page of the chapter of a unit's record at an instant. */
  readonly chapterAt: (at: Instant, unit: string) => number;
  /** Pages of a unit's record from this number on, in their order. */
  readonly pagesFrom: (seq: number, limit: number) => PackedPage[];
};

export type RecordSpan = { readonly firstAt: Instant; readonly lastAt: Instant };

export type PastSpan = {
  readonly from: Instant;
  readonly until: Instant;
  /** Only findings before this one. */
  readonly before?: { readonly at: Instant; readonly seq: number } | undefined;
  readonly types: ReadonlyArray<Finding["type"]>;
};

export type PastPart = {
  readonly found: readonly NumberedFinding[];
  readonly next: { readonly at: Instant; readonly seq: number } | undefined;
};

export type AlertsPart = {
  readonly found: readonly AlertFound[];
  readonly next: string | undefined;
};

export type AlertFound = { readonly moved: StoredFinding; readonly last: StoredFinding };

export type NumberedFinding = StoredFinding & { readonly seq: number };

export type Restart = { readonly at: Instant; readonly why: "start" | "gap" };

/** Everything that explanations and lists read; a journal elsewhere answers later, and rejects if it is away. */
export type JournalReading = {
  readonly [Name in keyof JournalPast]: (
    ...args: Parameters<JournalPast[Name]>
  ) => ReturnType<JournalPast[Name]> | Promise<ReturnType<JournalPast[Name]>>;
} & {
  /** The newest findings first. */
  readonly findings: (limit: number) => StoredFinding[] | Promise<StoredFinding[]>;
};

const MOST_RESTARTS = 500;
/** A chapter's first page begins with its reason. */
const OPENING_BYTES = 400;

/** As much of an alert's past as a person reads. */
const MOST_HISTORY = 500;

/** How many findings of all types are searched for orders: that takes some milliseconds. */
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

/** The queries of findings; PostgreSQL reads the same SQL as SQLite. */
export const PAST_SQL = {
  recent: "SELECT at, body FROM finding ORDER BY seq DESC LIMIT ?",
  history: `SELECT at, body FROM finding WHERE alert = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT ${MOST_HISTORY}`,
  orders: `SELECT at, body FROM (
       SELECT seq, at, type, body FROM finding WHERE at >= ? AND at <= ?
       ORDER BY at DESC, seq DESC LIMIT ${MOST_SEARCHED}
     ) AS searched WHERE type IN (${ORDERS.map((type) => `'${type}'`).join(", ")})
     ORDER BY at DESC, seq DESC LIMIT ${MOST_HISTORY}`,
  between: (types: PastSpan["types"]) => `SELECT seq, at,
       CASE WHEN type IN (${types.map((type) => `'${type}'`).join(", ") || "NULL"}) THEN body END AS body
     FROM finding WHERE at >= ? AND (at, seq) < (?, ?)
     ORDER BY at DESC, seq DESC LIMIT ?`,
  /** Goes from key to key by the index, so that the number of findings does not matter. */
  alertsAfter: `WITH RECURSIVE keys (alert, number) AS (
       SELECT min(alert), 1 FROM finding WHERE alert > ?
       UNION ALL
       SELECT (SELECT min(alert) FROM finding WHERE alert > keys.alert), number + 1
       FROM keys WHERE keys.alert IS NOT NULL AND number < ?
     )
     SELECT keys.alert AS key, (
       SELECT at FROM finding WHERE finding.alert = keys.alert AND at <= ? AND type = 'alert' ORDER BY at DESC LIMIT 1
     ) AS moved_at, (
       SELECT body FROM finding WHERE finding.alert = keys.alert AND at <= ? AND type = 'alert'
       ORDER BY at DESC, seq DESC LIMIT 1
     ) AS moved_body, (
       SELECT at FROM finding WHERE finding.alert = keys.alert AND at <= ? ORDER BY at DESC LIMIT 1
     ) AS at, (
       SELECT body FROM finding WHERE finding.alert = keys.alert AND at <= ? ORDER BY at DESC, seq DESC LIMIT 1
     ) AS body FROM keys WHERE keys.alert IS NOT NULL ORDER BY keys.alert`,
  restarts: `SELECT at, substr(body, 1, ${OPENING_BYTES}) AS opening FROM record
     WHERE whole = 1 AND at >= ? AND at <= ? AND seq < ${pagesOf(HOME)[1]} ORDER BY at DESC LIMIT ${MOST_RESTARTS}`,
  oldest: "SELECT min(at) AS at FROM finding",
  extent: "SELECT count(*) AS findings, min(at) AS oldest, max(at) AS newest FROM finding",
} as const;

export function pastOf(database: DatabaseSync): JournalPast {
  const history = database.prepare(PAST_SQL.history);
  const orders = database.prepare(PAST_SQL.orders);
  const alertsAfter = database.prepare(PAST_SQL.alertsAfter);
  const restarts = database.prepare(PAST_SQL.restarts);
  const oldest = database.prepare(PAST_SQL.oldest);
  const ends = database.prepare(RECORD_SQL.ends);
  const chapterAt = database.prepare(RECORD_SQL.chapterAt);
  const pagesFrom = database.prepare(RECORD_SQL.from);
  return {
    historyOf: (alert, until) => history.all(alert, until).map(storedFinding),
    orders: (from, until) => orders.all(from, until).map(storedFinding),
    between: (span, searched) => {
      const rows = database.prepare(PAST_SQL.between(span.types));
      return pastPart(rows.all(...spanValues(span), searched), searched);
    },
    alertsAfter: (key, until, limit) =>
      alertsPart(alertsAfter.all(...alertsValues(key, until, limit)), limit),
    restarts: (from, until) => restarts.all(from, until).flatMap(restartOf),
    reachesBackTo: () => instantIn(oldest.get()?.["at"]),
    recordUnits: () => recordUnits(database),
    recordSpan: (unit = HOME) => recordSpanOf(ends.get(...recordValues.ends(unit))),
    chapterAt: (at, unit) => Number(chapterAt.get(...recordValues.chapterAt(unit, at))?.["seq"]),
    pagesFrom: (seq, limit) => pagesFrom.all(...recordValues.from(seq, limit)).map(packedPage),
  };
}

/** The instant in a column; undefined if there is none. */
export function instantIn(value: unknown): Instant | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

export type FindingsExtent = {
  readonly findings: number;
  readonly oldestFinding: Instant | undefined;
  readonly newestFinding: Instant | undefined;
};

export function extentOf(row: Row | undefined): FindingsExtent {
  return {
    findings: Number(row?.["findings"] ?? 0),
    oldestFinding: instantIn(row?.["oldest"]),
    newestFinding: instantIn(row?.["newest"]),
  };
}

export function recordSpanOf(row: Row | undefined): RecordSpan | undefined {
  const { first = null, last } = row ?? {};
  return first === null ? undefined : { firstAt: Number(first), lastAt: Number(last) };
}

/** The arguments of `PAST_SQL.between`, except for the last. */
export function spanValues({ from, until, before }: PastSpan): number[] {
  if (before !== undefined && before.at <= until) return [from, before.at, before.seq];
  return [from, until, Number.MAX_SAFE_INTEGER];
}

/** The arguments of `PAST_SQL.alertsAfter`. */
export function alertsValues(
  key: string,
  until: Instant,
  limit: number,
): [string, number, number, number, number, number] {
  return [key, limit, until, until, until, until];
}

export function pastPart(rows: readonly Row[], searched: number): PastPart {
  const found = rows.filter(({ body }) => body !== null);
  const last = rows.length < searched ? undefined : rows.at(-1);
  return {
    found: found.map((row) => ({ ...storedFinding(row), seq: Number(row["seq"]) })),
    next: last && { at: Number(last["at"]), seq: Number(last["seq"]) },
  };
}

export function alertsPart(rows: readonly Row[], limit: number): AlertsPart {
  const found = rows
    .filter((row) => row["moved_body"] !== null)
    .map((row) => ({
      moved: storedFinding({ at: row["moved_at"], body: row["moved_body"] }),
      last: storedFinding(row),
    }));
  const last = rows.length < limit ? undefined : (rows.at(-1)?.["key"] as string | undefined);
  return { found, next: last };
}

/** None if the chapter continues the one before, or is damaged. */
export function restartOf(row: Row): Restart[] {
  const [, why] = OPENING.exec(beginOf(row["opening"] as Uint8Array)) ?? [];
  return why === "start" || why === "gap" ? [{ at: Number(row["at"]), why }] : [];
}

const OPENING = /^\[\{"t":"open","dt":0,"why":"(start|gap)"/;

/** The text in the first bytes of a page; empty if it is damaged. */
function beginOf(opening: Uint8Array): string {
  const bytes = Buffer.from(opening);
  if (bytes[0] !== 0) return bytes.toString();
  try {
    return inflateRawSync(bytes.subarray(1), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  } catch {
    return "";
  }
}
