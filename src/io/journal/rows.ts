import type { DatabaseSync } from "node:sqlite";
import { STATE_TABLES, type Change, type StateTable } from "../../domain/step.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Instant } from "../../domain/time.ts";
import { jsonProblem, type Row } from "./database.ts";
import { pageWriter, type Page, type PageWriter } from "./record-pages.ts";

/** Writes rows into the file, and reads those of state. */

/** Everything that one step writes. */
export type JournalRecord = {
  readonly at: Instant;
  readonly changes: readonly Change[];
  /** Each has its own instant: some may have waited until the journal could be written again. */
  readonly findings: readonly StoredFinding[];
  /** Pages of the record. */
  readonly pages?: readonly Page[];
  /** A loss of power may undo it, until a record without this is committed; the death of the process may not. */
  readonly unsynced?: true;
};

/** Writes single rows of an open journal, in the caller's transaction. */
export type RowWriter = {
  /** The value is JSON; null deletes the row. */
  readonly change: (table: string, key: string, value: string | null) => void;
  readonly finding: (at: Instant, type: string, body: string) => void;
  readonly pages: PageWriter;
};

export function rowWriter(database: DatabaseSync): RowWriter {
  const write = database.prepare(
    "INSERT INTO state (name, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const remove = database.prepare("DELETE FROM state WHERE name = ? AND key = ?");
  const insert = database.prepare("INSERT INTO finding (at, type, body) VALUES (?, ?, ?)");
  return {
    change: (table, key, value) => {
      if (value === null) remove.run(table, key);
      else write.run(table, key, value);
    },
    finding: (at, type, body) => void insert.run(at, type, body),
    pages: pageWriter(database),
  };
}

const NAMES: ReadonlySet<string> = new Set(STATE_TABLES);

/**
 * Every row, in the order of table and key, or those of one table. Tables that this version does not know are left out.
 */
export function* readRows(database: DatabaseSync, only?: StateTable): Generator<Change> {
  for (const [table, key, text] of storedRows(database, only))
    if (isTable(table)) yield { table, key, value: valueOf(table, key, text) };
}

/** A row that is not valid state. */
export class BadRow extends Error {
  override readonly name = "BadRow";
}

/** Parses a row only once, when it is read: a start may read 100 MB of rows. */
function valueOf(table: StateTable, key: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadRow(rowProblem(table, key, text));
  }
  if (valueProblem(table, value) !== undefined) throw new BadRow(rowProblem(table, key, text));
  return value;
}

type StoredRow = readonly [table: string, key: string, value: string];

function storedRows(database: DatabaseSync, only?: StateTable): Iterable<StoredRow> {
  const sql = "SELECT name, key, value FROM state";
  return only === undefined
    ? eachStored(database, `${sql} ORDER BY name, key`)
    : eachStored(database, `${sql} WHERE name = ? ORDER BY key`, only);
}

function eachStored(database: DatabaseSync, sql: string, ...values: string[]): Iterable<StoredRow> {
  const rows = database.prepare(sql);
  // An array a row takes half the time of an object.
  rows.setReturnArrays(true);
  return rows.iterate(...values) as Iterable<unknown> as Iterable<StoredRow>;
}

/** What is wrong with the first row that is not valid state. */
export function badRow(database: DatabaseSync): string | undefined {
  for (const problem of eachBadRow(database)) return problem;
  return undefined;
}

/** What is wrong with every such row, and with every finding that is not JSON. */
export function badRows(database: DatabaseSync): string[] {
  const findings = database
    .prepare("SELECT seq FROM finding WHERE NOT json_valid(body) LIMIT 20")
    .all();
  return [...eachBadRow(database), ...findings.map(brokenFinding)];
}

export function brokenFinding(row: Row): string {
  return `the finding ${Number(row["seq"])}: not JSON`;
}

/** A damaged journal may have more broken rows than anyone reads. */
const MOST_NAMED = 100;

/** One line for each of the first, and one for all others. */
export function named(problems: readonly string[], what: string): readonly string[] {
  const more = problems.length - MOST_NAMED;
  const others = more > 0 ? [`more ${what} that are broken: ${more}`] : [];
  return [...problems.slice(0, MOST_NAMED), ...others];
}

export function countRows(database: DatabaseSync): Record<string, number> {
  const rows = database.prepare("SELECT name, count(*) AS rows FROM state GROUP BY name").all();
  return Object.fromEntries(rows.map((row) => [String(row["name"]), Number(row["rows"])]));
}

/** Rows that are counted at once, in a millisecond or two. */
const COUNTED_AT_ONCE = 5_000;

/** How many rows there are of the tables that this version knows, a part at a time: a large file takes long. */
export function* rowCounts(database: DatabaseSync): Generator<number> {
  const count = database.prepare(
    `SELECT count(*) AS rows, max(key) AS last FROM (
       SELECT key FROM state WHERE name = ? AND key > ? ORDER BY key LIMIT ${COUNTED_AT_ONCE}
     )`,
  );
  for (const table of STATE_TABLES) {
    let rows: number;
    let after = "";
    do {
      const counted = count.get(table, after);
      rows = Number(counted?.["rows"]);
      after = String(counted?.["last"]);
      yield rows;
    } while (rows === COUNTED_AT_ONCE);
  }
}

/**
 * SQLite finds suspicious rows without bringing every row into memory. It accepts the same JSON as `JSON.parse`, except
 * that it does not nest as deeply.
 */
const SUSPECTS = `SELECT name, key, value FROM state
  WHERE name = 'counter' OR NOT json_valid(value) OR json_type(value) NOT IN ('object', 'array')
  ORDER BY name, key`;

function* eachBadRow(database: DatabaseSync): Generator<string> {
  for (const [table, key, value] of eachStored(database, SUSPECTS)) {
    const problem = rowProblem(table, key, value);
    if (problem !== undefined) yield problem;
  }
}

/** What is wrong with a row; undefined if nothing is, or this version does not know the table. */
export function rowProblem(table: string, key: string, text: string): string | undefined {
  if (!isTable(table)) return undefined;
  const problem = jsonProblem(text) ?? valueProblem(table, JSON.parse(text));
  return problem === undefined ? undefined : `the row ${table} ${key}: ${problem}`;
}

function valueProblem(table: StateTable, value: unknown): string | undefined {
  if (table === "counter") return typeof value === "number" ? undefined : "not a number";
  return typeof value === "object" && value !== null ? undefined : "not an object";
}

export function isTable(name: string): name is StateTable {
  return NAMES.has(name);
}

export type StoredFinding = { readonly at: Instant; readonly finding: Finding };

/** A finding as it was written. */
export function storedFinding(row: Row): StoredFinding {
  return { at: Number(row["at"]), finding: JSON.parse(String(row["body"])) as Finding };
}

export function storedFindings(rows: readonly Row[]): StoredFinding[] {
  return rows.map(storedFinding);
}
