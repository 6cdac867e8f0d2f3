import { unmasked } from "../domain/lookalike.ts";

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
 * the widest columns are narrowed and their cells go on in the next line: nothing is left out but empty columns.
 */
export function table(
  allHeads: readonly string[],
  allRows: ReadonlyArray<readonly string[]>,
  width = Infinity,
): readonly string[] {
  const isKept = keptColumns(allHeads, allRows, width);
  const heads = allHeads.filter((_, index) => isKept(index));
  const rows = allRows.map((row) => row.filter((_, index) => isKept(index)));
  const all = [heads.map((head) => head.toUpperCase()), ...rows];
  const widths = fitted(
    heads.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0))),
    width - GAP.length * (heads.length - 1),
  );
  return all.flatMap((row) => {
    const cells = row.map((cell, index) => wrapped(cell, widths[index] ?? Infinity));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((lines, index) => (lines[line] ?? "").padEnd(widths[index] ?? 0))
        .join(GAP)
        .trimEnd(),
    );
  });
}

/** Columns that say nothing of any row go, if the others would not fit beside them however narrow they were. */
function keptColumns(
  heads: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  width: number,
): (index: number) => boolean {
  const least = heads.map((head, index) =>
    Math.min(LEAST_WIDTH, Math.max(head.length, ...rows.map((row) => row[index]?.length ?? 0))),
  );
  const needed = least.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
  if (needed <= width) return () => true;
  return (index) => rows.some((row) => (row[index] ?? "") !== "");
}

/** The widest columns give way until all fit, or none is wider than the least. */
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

/** A cell in lines of at most this width, broken at spaces and after slashes if there are some. */
function wrapped(cell: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of cell.match(/[^\s/]+\/?|\/|\s+/g) ?? []) {
    if (line.length + piece.trimEnd().length > width && line !== "") {
      lines.push(line.trimEnd());
      line = "";
    }
    if (line === "" && piece.trim() === "") continue;
    line += piece;
    while (line.trimEnd().length > width) {
      lines.push(line.slice(0, width));
      line = line.slice(width);
    }
  }
  return [...lines, line.trimEnd()];
}
