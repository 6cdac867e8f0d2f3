/** What stands in the place of a secret, wherever a text is shown or kept. */
export const REDACTED = "[redacted]";

/** A name in camelCase as YAML and JSON have it. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A number of things for people: `1 poll`, `2 polls`, `0 entities`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Rows of cells as lines, each column as wide as its longest cell, and `widest` at most. */
export function inColumns(
  rows: ReadonlyArray<readonly string[]>,
  widest = Infinity,
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.min(widest, Math.max(widths[index] ?? 0, cell.length));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
