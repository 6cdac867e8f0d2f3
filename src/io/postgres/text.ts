/**
 * PostgreSQL stores neither U+0000 nor half a pair of surrogates, and what an aggregator names may hold both: in keys
 * they are escaped, and nothing else but the backslash. JSON, as every value and body is, holds neither.
 */
export function storable(text: string): string {
  return text.replace(
    /[\0\\]|\p{Surrogate}/gu,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function fromStorable(stored: string): string {
  return stored.replace(/\\u([0-9a-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** SQL with `?` for its values, as SQLite reads it, with their numbers, as PostgreSQL does. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${++count}`);
}
