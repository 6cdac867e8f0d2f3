import type { DatabaseSync } from "node:sqlite";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { HOME, sendersNumber, sendersUnit } from "../../domain/lease.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import { usingZlib } from "../process/endable-thread.ts";
import { jsonProblem, type Row } from "./database.ts";

/**
 * The record as rows: pages of what was observed. Only the recorder reads their content; here they are texts, deflated
 * if that saves room.
 */
export type Page = {
  /** The instants of its first and its last entry. */
  readonly at: Instant;
  readonly until: Instant;
  /** It needs no page before it. */
  readonly whole: boolean;
  /** JSON. */
  readonly body: string;
};

/**
 * Each unit has its own record, with its own range of page numbers: `home` has the first, `senders/1` the next. Within
 * a unit they count up by one, so that a missing page is noticed.
 */
const PAGES_OF_UNIT = 2 ** 40;

/** The range of a unit's page numbers; `end` is the first of the next unit. */
export function pagesOf(unit: string): readonly [first: number, end: number] {
  const first = (sendersNumber(unit) ?? 0) * PAGES_OF_UNIT;
  return [first, first + PAGES_OF_UNIT];
}

export function unitOfPage(seq: number): string {
  const number = Math.floor(seq / PAGES_OF_UNIT);
  return number === 0 ? HOME : sendersUnit(number);
}

/** How much is kept. Pruning deletes whole chapters, the oldest first. */
export type RecordBounds = { readonly retentionMs: Millis; readonly maxBytes: number };

/** Shorter texts grow when they are deflated. */
const LEAST_DEFLATED = 128;
/** `[`: every page's JSON begins with it, and a deflated page with 0. */
const PLAIN = 0x5b;

export function packPage(body: string): Buffer {
  const plain = Buffer.from(body);
  if (plain.length < LEAST_DEFLATED) return plain;
  return Buffer.concat([Buffer.of(0), usingZlib(() => deflateRawSync(plain))]);
}

/** Throws if it was damaged. */
export function unpackPage(packed: Uint8Array): string {
  const bytes = Buffer.from(packed);
  if (bytes[0] === PLAIN) return bytes.toString();
  if (bytes[0] !== 0) throw new Error("it begins as no page does");
  const limits = { maxOutputLength: LONGEST_PAGE };
  return usingZlib(() => inflateRawSync(bytes.subarray(1), limits)).toString();
}

/** More than any page has, so that a damaged one cannot fill the memory. */
const LONGEST_PAGE = 512 * 1_048_576;

/** Finds the first page of each unit that has a record, `home` first. PostgreSQL reads the same SQL as SQLite. */
export const RECORD_UNITS = `WITH RECURSIVE page (seq) AS (
     SELECT min(seq) FROM record
     UNION ALL
     SELECT (SELECT min(seq) FROM record WHERE seq >= (page.seq / ${PAGES_OF_UNIT} + 1) * ${PAGES_OF_UNIT})
     FROM page WHERE page.seq IS NOT NULL
   ) SELECT seq FROM page WHERE seq IS NOT NULL ORDER BY seq`;

/** What makes room, in both; the values are those of `dropValues`. */
export const DROP_SQL = {
  /** A chapter goes once the next one covers the whole retention. */
  old: `DELETE FROM record WHERE seq >= ? AND seq < (
       SELECT max(seq) FROM record WHERE whole = 1 AND at <= ? AND seq >= ? AND seq < ?)`,
  oldest: `DELETE FROM record WHERE seq >= ? AND seq < (
       SELECT seq FROM record WHERE whole = 1 AND seq >= ? AND seq < ? ORDER BY seq LIMIT 1 OFFSET 1)`,
  bytes: "SELECT sum(length(body)) AS bytes FROM record",
} as const;

export const dropValues = {
  old: (unit: string, before: Instant) => [pagesOf(unit)[0], before, ...pagesOf(unit)],
  oldest: (unit: string) => [pagesOf(unit)[0], ...pagesOf(unit)],
} as const;

/** A page's row except for its body. */
export type PageRow = readonly [seq: number, at: Instant, until: Instant, whole: number];

export type PageWriter = {
  readonly write: (page: Page) => void;
  readonly rowOf: (page: Page) => PageRow;
  readonly put: (row: PageRow, packed: Uint8Array) => void;
  readonly prune: (at: Instant, bounds: RecordBounds) => void;
};

/** Writes pages, and drops the oldest chapters, of an open journal. */
export function pageWriter(database: DatabaseSync): PageWriter {
  const insert = database.prepare(
    "INSERT OR REPLACE INTO record (seq, at, until, whole, body) VALUES (?, ?, ?, ?, ?)",
  );
  const findUnits = database.prepare(RECORD_UNITS);
  const dropOld = database.prepare(DROP_SQL.old);
  const bytes = database.prepare(DROP_SQL.bytes);
  const dropOldest = database.prepare(DROP_SQL.oldest);
  const last = database
    .prepare("SELECT coalesce(max(seq), 0) AS seq FROM record WHERE seq < ?")
    .get(pagesOf(HOME)[1]);
  // A page keeps its number: a commit that seemed to fail may be on disk, and its pages are then written again.
  const numbers = new WeakMap<Page, number>();
  let next = Number(last?.["seq"]) + 1;
  const numberOf = (page: Page): number => {
    const number = numbers.get(page) ?? next++;
    numbers.set(page, number);
    return number;
  };
  const put = (row: PageRow, packed: Uint8Array): void => void insert.run(...row, packed);
  const rowOf = (page: Page): PageRow => {
    const { at, until, whole } = page;
    return [numberOf(page), at, until, whole ? 1 : 0];
  };
  return {
    write: (page) => put(rowOf(page), packPage(page.body)),
    rowOf,
    put,
    prune: (at, { retentionMs, maxBytes }) => {
      // A file has records of other units if it was copied from a database.
      const units = findUnits
        .all()
        .map(({ seq }) => unitOfPage(Number(seq)))
        .toReversed();
      for (const unit of units) dropOld.run(...dropValues.old(unit, at - retentionMs));
      while (Number(bytes.get()?.["bytes"] ?? 0) > maxBytes) {
        const drop = (unit: string): boolean =>
          Number(dropOldest.run(...dropValues.oldest(unit)).changes) > 0;
        if (!units.some(drop)) return;
      }
    },
  };
}

export type StoredPage = Page & { readonly seq: number };

/** A page as it was written, or why it cannot be read. */
export type ReadPage = StoredPage | { readonly seq: number; readonly problem: string };

/** A page as it is on disk, for `storedPage`. */
export type PackedPage = {
  readonly seq: number;
  readonly at: Instant;
  readonly until: Instant;
  readonly whole: number;
  readonly body: Uint8Array;
};

/** The row of a page; PostgreSQL gives its numbers as texts. */
export function packedPage(row: Row): PackedPage {
  const [seq, at, until, whole] = [row["seq"], row["at"], row["until"], row["whole"]].map(Number);
  // A copy with its own memory, which can be transferred to another thread.
  const body = new Uint8Array(row["body"] as Uint8Array);
  return { seq: seq ?? 0, at: at ?? 0, until: until ?? 0, whole: whole ?? 0, body };
}

/** The pages from one number up to another, in their order. */
export function* readPages(
  database: DatabaseSync,
  from: number,
  end: number = Number.MAX_SAFE_INTEGER,
): Generator<ReadPage> {
  const rows = database
    .prepare(
      "SELECT seq, at, until, whole, body FROM record WHERE seq >= ? AND seq < ? ORDER BY seq",
    )
    .iterate(from, end);
  for (const row of rows) yield storedPage(row);
}

export function storedPage(row: Row): ReadPage {
  const seq = Number(row["seq"]);
  const { body: packed } = row;
  if (!(packed instanceof Uint8Array)) return { seq, problem: "it has no body" };
  try {
    const body = unpackPage(packed);
    const [at, until] = [Number(row["at"]), Number(row["until"])];
    return { seq, at, until, whole: row["whole"] === 1, body };
  } catch (error) {
    return { seq, problem: messageOf(error) };
  }
}

/** What is wrong with every page that is damaged. */
export function badPages(database: DatabaseSync): string[] {
  return readPages(database, 0)
    .map(pageProblem)
    .filter((problem) => problem !== undefined)
    .toArray();
}

/** What is wrong with a page; undefined if nothing is. */
export function pageProblem(page: ReadPage): string | undefined {
  const problem = "problem" in page ? page.problem : jsonProblem(page.body);
  return problem === undefined ? undefined : `page ${page.seq} of the record: ${problem}`;
}
