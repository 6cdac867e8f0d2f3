import { STATE_TABLES } from "../../domain/step.ts";
import { formatInstant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import type { Checker } from "../witness.ts";
import type { Step } from "./acts.ts";

/** A deleted row, among the texts of those that are there. */
const DELETED = "";

/**
 * A new process finds every row as it was committed last, and no other; and a process has in memory just
 * the rows that it reported. Where a commit was said to have failed, either is right.
 */
export function checkCommitted(): Checker {
  const rows = new Map<string, string>();
  /** What was not said to be on disk: every text that may be there, the one before first. */
  const unsure = new Map<string, string[]>();

  function note({ result, durable }: Step): void {
    for (const { table, key, value } of result.changes) {
      const name = `${table} ${key}`;
      const text = value === undefined ? DELETED : JSON.stringify(value);
      if (!durable) unsure.set(name, [...(unsure.get(name) ?? [rows.get(name) ?? DELETED]), text]);
      rows.set(name, text);
    }
    if (durable) unsure.clear();
  }

  function compare(state: State, mayBeUnsure: boolean): string[] {
    const found: string[] = [];
    const left = new Map(rows);
    for (const table of STATE_TABLES) {
      for (const [key, value] of state.tables[table]) {
        const name = `${table} ${key}`;
        const text = JSON.stringify(value);
        const known = left.get(name) ?? DELETED;
        left.delete(name);
        const may = (mayBeUnsure ? unsure.get(name) : undefined) ?? [known];
        if (!may.includes(text))
          found.push(`the row ${name} is ${text}, and was written as ${known}`);
        if (mayBeUnsure) rows.set(name, text);
      }
    }
    for (const [name, text] of left) {
      const may = (mayBeUnsure ? unsure.get(name) : undefined) ?? [text];
      if (!may.includes(DELETED)) found.push(`the row ${name} is lost, and was written as ${text}`);
      if (mayBeUnsure) rows.delete(name);
    }
    if (mayBeUnsure) unsure.clear();
    return found;
  }

  return {
    invariant: "4 what was committed",
    witness: (seen) => {
      if (seen.type === "step") {
        note(seen);
        return [];
      }
      if (seen.type !== "restarted" && seen.type !== "ended") return [];
      const when = seen.type === "restarted" ? "after the start" : "in memory at the end";
      return compare(seen.state, seen.type === "restarted")
        .slice(0, 5)
        .map((problem) => `${when} (${formatInstant(seen.at)}): ${problem}`);
    },
  };
}
