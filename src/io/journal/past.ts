import type { Finding } from "../../domain/finding.ts";
import type { Instant } from "../../domain/time.ts";
import type { Row } from "./database.ts";
import type { PackedPage } from "./record-pages.ts";
import type { StoredFinding } from "./rows.ts";

/** The past in the journal, for explanations. */
export type JournalPast = {
  /** The newest findings first. */
  readonly findings: (limit: number) => StoredFinding[];
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

type AlertsPart = {
  readonly found: readonly AlertFound[];
  readonly next: string | undefined;
};

export type AlertFound = {
  readonly moved: StoredFinding;
  readonly last: StoredFinding;
  /** When the first `unconfirmed` was found after the last finding of another type; undefined if there is none. */
  readonly unconfirmedSince?: Instant | undefined;
};

export type NumberedFinding = StoredFinding & { readonly seq: number };

export type Restart = { readonly at: Instant; readonly why: "start" | "gap" };

/** Everything that explanations and lists read; a journal elsewhere answers later, and rejects if it is away. */
export type JournalReading = {
  readonly [Name in keyof JournalPast]: (
    ...args: Parameters<JournalPast[Name]>
  ) => ReturnType<JournalPast[Name]> | Promise<ReturnType<JournalPast[Name]>>;
};

/** The instant in a column; undefined if there is none. */
export function instantIn(value: unknown): Instant | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** The query of `extentOf`. */
export const EXTENT =
  "SELECT count(*) AS findings, min(at) AS oldest, max(at) AS newest FROM finding";

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
