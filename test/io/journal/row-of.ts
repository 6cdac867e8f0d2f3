import type { StateTable } from "../../../src/domain/step.ts";
import type { Journal } from "../../../src/io/journal/journal.ts";

/** The value of a row; undefined if there is none. */
export function rowOf(journal: Journal, table: StateTable, key: string): unknown {
  return [...journal.rows(table)].find((row) => row.key === key)?.value;
}
