/**
 * PostgreSQL stores neither U+0000 nor a lone surrogate, and an aggregator's names may hold both: keys escape these and
 * the backslash, and nothing else. Values and bodies are JSON, which holds neither.
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

/** Turns the `?` of SQLite's SQL into PostgreSQL's `$1`, `$2` and so on. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${++count}`);
}
