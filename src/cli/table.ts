import { unmasked } from "../domain/lookalike.ts";

/** Text for terminals. What an aggregator says must not steer one. */
const STEERING = /(?!\n)[\p{Cc}\p{Cf}]/gu;

export function plain(text: string): string {
  return unmasked(text.replace(STEERING, "\ufffd"));
}

/** Lines of columns that are as wide as their longest cell; the last one is left as it is. */
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
