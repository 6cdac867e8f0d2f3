import type { Problem } from "../problem.ts";
import { onlyCommentsBetween, type Ignore } from "../yaml/ignore-comments.ts";
import { nodeAt, problemAtRange } from "../yaml/yaml-source.ts";
import { hintFor } from "../suggest.ts";
import { severityOf, type LintCheck, type LintedRule } from "./lint-check.ts";

/** An ignore comment on a line of a rule, or on the comment lines right before it, takes one kind of lint off that rule. */

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

type Lines = { readonly first: number; readonly last: number };

/** Which rule a comment belongs to: the one on whose lines it is, or the one right after it. */
export function belongsTo(ignore: Ignore, linted: Pick<LintedRule, "place">): boolean {
  const { source } = linted.place;
  if (source.file !== ignore.source.file) return false;
  const { first, last } = linesOf(linted);
  if (ignore.line >= first && ignore.line <= last) return true;
  return onlyCommentsBetween(ignore, first);
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

/** What is wrong with an ignore comment itself; `known` are the lints that it may name. */
export function ignoreProblems(
  ignore: Ignore,
  isUsed: boolean,
  known: readonly string[],
): readonly Problem[] {
  if (!known.includes(ignore.id)) {
    const problem = ignoreProblem(unknownIgnore, ignore, `there is no lint "${ignore.id}"`);
    return [{ ...problem, hint: hintFor(ignore.id, known) }];
  }
  if (!isUsed) return [ignoreProblem(unusedIgnore, ignore, `there is no ${ignore.id} here`)];
  if (ignore.reason === "")
    return [
      ignoreProblem(ignoreWithoutReason, ignore, `the comment gives no reason: ${ignore.id}: …`),
    ];
  return [];
}

function ignoreProblem(check: LintCheck, ignore: Ignore, message: string): Problem {
  return problemAtRange(ignore.source, ignore.range, {
    id: check.id,
    severity: severityOf(check),
    message,
  });
}
