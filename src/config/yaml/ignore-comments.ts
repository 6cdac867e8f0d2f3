import type { YamlSource } from "./yaml-source.ts";

/** A comment that ignores a lint: `# aggwatch-ignore lint/no-test: it is replaced next week`. */
export type Ignore = {
  readonly id: string;
  readonly reason: string;
  readonly source: YamlSource;
  readonly range: { readonly start: number; readonly end: number };
  readonly line: number;
};

/** Every ignore comment of a file. */
export function ignoresOf(source: YamlSource): readonly Ignore[] {
  const found: Ignore[] = [];
  for (const match of source.text.matchAll(/(^|\s)#[ \t]*aggwatch-ignore\b[ \t]*([^\r\n]*)/gm)) {
    const start = match.index + (match[1]?.length ?? 0);
    const [, id = "", reason = ""] = /^([^\s:]*)\s*:?\s*(.*)$/.exec(match[2] ?? "") ?? [];
    const range = { start, end: match.index + match[0].length };
    const { line } = source.lines.linePos(start);
    found.push({ id, reason: reason.trim(), source, range, line });
  }
  return found;
}

/** Whether a comment stands before a line, and only comment lines are in between. */
export function onlyCommentsBetween({ source, line }: Ignore, next: number): boolean {
  if (line >= next) return false;
  const between = source.text.split("\n").slice(line - 1, next - 1);
  return between.every((text) => /^\s*#/.test(text));
}
