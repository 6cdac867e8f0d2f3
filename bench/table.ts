import type { Compared } from "./measure.ts";

/** One line of the result. `ratio` is ours over the baseline: 2 is twice the time, or the memory. */
export type Row = {
  readonly name: string;
  readonly size: number;
  readonly ours: string;
  readonly baseline: string;
  readonly ratio: number;
  readonly note: string;
};

/** What was measured side by side, as a row has it. */
export function timesOf({ oursMs, baselineMs, ratio }: Compared) {
  return { ours: milliseconds(oursMs), baseline: milliseconds(baselineMs), ratio };
}

const HEAD = ["measured", "size", "ours", "baseline", "ratio", "note"];
/** Columns of numbers, which stand at the right. */
const NUMBERS = new Set([1, 2, 3, 4]);

/** The rows as a table that is Markdown too, so that it can stand in the document as it is. */
export function table(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => line(row.map((cell, column) => pad(cell, column, widths))));
  const rule = widths.map((width, column) =>
    NUMBERS.has(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return [lines[0], line(rule), ...lines.slice(1)].join("\n");
}

function cellsOf({ name, size, ours, baseline, ratio, note }: Row): string[] {
  return [name, grouped(size), ours, baseline, significant(ratio), note];
}

function pad(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return NUMBERS.has(column) ? cell.padStart(width) : cell.padEnd(width);
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Three digits that matter: `0.0123`, `4.56`, `78.9`, `12 300`. */
export function significant(value: number): string {
  if (!Number.isFinite(value) || value === 0) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return digits > 0 ? value.toFixed(Math.min(digits, 6)) : grouped(Number(value.toPrecision(3)));
}

/** Whole numbers with a space between thousands. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, " ");
}

export function milliseconds(value: number): string {
  return `${significant(value)} ms`;
}
