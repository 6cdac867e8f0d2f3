import { unmasked } from "../domain/lookalike.ts";

/** Control and format characters: text of an aggregator must not control the terminal. */
const STEERING = /(?!\n)[\p{Cc}\p{Cf}]/gu;

export function plain(text: string): string {
  return unmasked(text.replace(STEERING, "\ufffd"));
}

/** Lines in columns, each as wide as its longest cell; the last column is not padded. */
export function table(
  heads: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
): readonly string[] {
  const widths = heads.map((head, index) =>
    Math.max(head.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  return [heads.map((head) => head.toUpperCase()), ...rows].map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
