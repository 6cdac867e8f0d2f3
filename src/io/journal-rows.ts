import type { DatabaseSync } from "node:sqlite";
import { STATE_TABLES, type Change, type StateTable } from "../domain/step.ts";
import { messageOf } from "./error-message.ts";

/** How the rows of state come back from the file. */

const NAMES: ReadonlySet<string> = new Set(STATE_TABLES);

/** Every row, in the order of table and key. Tables that this version does not know are passed over. */
export function* readRows(database: DatabaseSync): Generator<Change> {
  const rows = database.prepare("SELECT name, key, value FROM state ORDER BY name, key");
  for (const row of rows.iterate()) {
    const table = String(row["name"]);
    if (!isTable(table)) continue;
    const value: unknown = JSON.parse(String(row["value"]));
    yield { table, key: String(row["key"]), value };
  }
}

export function readRow(database: DatabaseSync, table: StateTable, key: string): unknown {
  const row = database
    .prepare("SELECT value FROM state WHERE name = ? AND key = ?")
    .get(table, key);
  return row === undefined ? undefined : JSON.parse(String(row["value"]));
}

/**
 * What is wrong with the first row that state cannot be made of. All are read while the journal is
 * opened, so that a damaged file is told then, and not by a crash in the middle of the start.
 */
export function badRow(database: DatabaseSync): string | undefined {
  const rows = database.prepare("SELECT name, key, value FROM state ORDER BY name, key");
  for (const row of rows.iterate()) {
    const table = String(row["name"]);
    if (!isTable(table)) continue;
    const problem = problemOf(table, String(row["value"]));
    if (problem !== undefined) return `the row ${table} ${String(row["key"])}: ${problem}`;
  }
  return undefined;
}

function problemOf(table: StateTable, text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (table === "counter") return typeof value === "number" ? undefined : "not a number";
    return typeof value === "object" && value !== null ? undefined : "not an object";
  } catch (error) {
    return `not JSON: ${messageOf(error)}`;
  }
}

function isTable(name: string): name is StateTable {
  return NAMES.has(name);
}
