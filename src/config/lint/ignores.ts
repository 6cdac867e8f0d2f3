import type { Problem } from "../problem.ts";
import { nodeAt, problemAtRange, type YamlSource } from "../yaml/yaml-source.ts";
import { severityOf, type LintCheck, type LintedRule } from "./lint-check.ts";

/**
 * `# aggwatch-ignore lint/no-test: it is replaced next week` on a line of a rule, or on the comment
 * lines right before it, takes one kind of lint off that rule.
 */

const without = (id: string, means: string, why: string, mend: string): LintCheck => ({
  id,
  means,
  why,
  mend,
  find: () => [],
});

export const ignoreWithoutReason = without(
  "lint/ignore-without-reason",
  "An ignore comment gives no reason.",
  "Whoever reads the rule next year needs to know why the lint does not apply here.",
  "Write `# aggwatch-ignore id: reason`.",
);
export const unknownIgnore = without(
  "lint/unknown-ignore",
  "An ignore comment names no lint.",
  "The id is misspelt, or is the id of a problem. Problems cannot be ignored: a rule with a problem does not run.",
  "Use an id from this page.",
);
export const unusedIgnore = without(
  "lint/unused-ignore",
  "An ignore comment has no effect.",
  "It belongs to no rule, or the rule no longer has the lint. If the comment stays, it hides the lint when it comes back.",
  "Remove the comment, or move it onto the rule or right before it.",
);

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

type Lines = { readonly first: number; readonly last: number };

/** Which rule a comment belongs to: the one on whose lines it is, or the one right after it. */
export function belongsTo(ignore: Ignore, linted: Pick<LintedRule, "place">): boolean {
  const { source } = linted.place;
  if (source.file !== ignore.source.file) return false;
  const { first, last } = linesOf(linted);
  if (ignore.line >= first && ignore.line <= last) return true;
  if (ignore.line >= first) return false;
  const between = source.text.split("\n").slice(ignore.line - 1, first - 1);
  return between.every((line) => /^\s*#/.test(line));
}

/** From the line of a rule's dash to the last one that holds anything but comments. */
function linesOf({ place: { source, path } }: Pick<LintedRule, "place">): Lines {
  const range = nodeAt(source, path).node?.range;
  const start = range?.[0] ?? 0;
  const text = source.text.slice(start, range?.[1] ?? start);
  const first = source.lines.linePos(start).line;
  return { first, last: first + lastContentLine(text) };
}

function lastContentLine(text: string): number {
  return text.split("\n").findLastIndex((line) => !/^\s*(?:#.*)?$/.test(line));
}

/** What is wrong with the ignore comments themselves. */
export function ignoreProblem(check: LintCheck, ignore: Ignore, message: string): Problem {
  return problemAtRange(ignore.source, ignore.range, {
    id: check.id,
    severity: severityOf(check),
    message,
  });
}
