import { unmasked } from "../domain/shown/lookalike.ts";
import { cellsOf, startWithin } from "./print/cells.ts";

/** Control and format characters: text of an aggregator must not control the terminal. */
const STEERING = /(?!\n)[\p{Cc}\p{Cf}]/gu;

export function plain(text: string): string {
  return unmasked(text.replace(STEERING, "\ufffd"));
}

const GAP = "  ";
/** No column is made narrower for the sake of the others; below that a table is wider than the terminal. */
const LEAST_WIDTH = 10;

/**
 * Lines in columns, each as wide as its longest cell; the last column is not padded. If they do not fit the width,
 * the widest columns are narrowed and their cells go on in the next line. If that is not enough, empty columns are left
 * out, and then those of the least rank, which `leastFirst` names.
 */
export function table(
  allHeads: readonly string[],
  allRows: ReadonlyArray<readonly string[]>,
  width = Infinity,
  leastFirst: readonly string[] = [],
): readonly string[] {
  // What is made plain may become longer.
  const shown = allRows.map((row) => row.map(plain));
  const isKept = keptColumns(allHeads, shown, width, leastFirst);
  const heads = allHeads.filter((_, index) => isKept(index));
  const rows = shown.map((row) => row.filter((_, index) => isKept(index)));
  const all = [heads.map((head) => head.toUpperCase()), ...rows];
  const widths = fitted(
    heads.map((_, index) => longest(all, index)),
    width - GAP.length * (heads.length - 1),
  );
  return all.flatMap((row) => {
    const cells = row.map((cell, index) => wrapped(cell, widths[index] ?? Infinity));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((lines, index) => padded(lines[line] ?? "", widths[index] ?? 0))
        .join(GAP)
        .trimEnd(),
    );
  });
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cellsOf(text)));
}

/** The width of the longest text of a column. There may be more rows than a function takes arguments. */
function longest(rows: ReadonlyArray<readonly string[]>, index: number): number {
  return rows.reduce((most, row) => Math.max(most, cellsOf(row[index] ?? "")), 0);
}

/** A table below a blank line; nothing if it has no rows. */
export function section(...[heads, rows, ...form]: Parameters<typeof table>): readonly string[] {
  return rows.length === 0 ? [] : ["", ...table(heads, rows, ...form)];
}

/** Leaves out columns that cannot all fit, however narrow; those that are empty in every row go first. */
function keptColumns(
  heads: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  width: number,
  leastFirst: readonly string[],
): (index: number) => boolean {
  const least = heads.map((head, index) =>
    Math.min(LEAST_WIDTH, Math.max(head.length, longest(rows, index))),
  );
  const kept = new Set(heads.keys());
  const isTooWide = (): boolean =>
    [...kept].reduce((sum, index) => sum + (least[index] ?? 0) + GAP.length, -GAP.length) > width;
  if (!isTooWide()) return () => true;
  for (const index of heads.keys())
    if (rows.every((row) => (row[index] ?? "") === "")) kept.delete(index);
  for (const head of leastFirst) if (isTooWide()) kept.delete(heads.indexOf(head));
  return (index) => kept.has(index);
}

/** Narrows the widest columns until all fit, or until none can be narrowed. */
function fitted(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_WIDTH) break;
    const next = Math.max(LEAST_WIDTH, ...widths.filter((width) => width < widest));
    const columns = widths.filter((width) => width === widest).length;
    const narrower = Math.max(next, widest - Math.ceil(excess / columns));
    for (const [index, width] of widths.entries()) if (width === widest) widths[index] = narrower;
    excess -= (widest - narrower) * columns;
  }
  return widths;
}

/** A text in lines of at most this width, broken at spaces, after slashes and, if a name does not fit, in it. */
export function wrapped(cell: string, atMost: number): readonly string[] {
  // If there is no room at all, each line still takes one character, or there would be no end of lines.
  const width = Math.max(1, atMost);
  const lines: string[] = [];
  let line = "";
  for (const piece of cell.match(/[^\s/]+\/?|\/|\s+/g) ?? []) {
    if (cellsOf(line) + cellsOf(piece.trimEnd()) > width && line !== "") {
      lines.push(line.trimEnd());
      line = "";
    }
    if (line === "" && piece.trim() === "") continue;
    line += piece;
    while (startWithin(line, width).length < line.trimEnd().length) {
      const end = endWithin(line, width);
      lines.push(line.slice(0, end));
      line = line.slice(end);
    }
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line.trimEnd()];
}

/** After the last whole word of a name like `ExchangeDisabled` or `enable_exchange`, if there is one. */
function endWithin(name: string, width: number): number {
  // At least one character, also if that is wider than all the room.
  const most = startWithin(name, width).length || /^./su.exec(name)?.[0].length || 1;
  const words = /^.*(?:[a-z](?=[A-Z])|_(?=.))/.exec(name.slice(0, most + 1));
  return words?.[0].length ?? most;
}
