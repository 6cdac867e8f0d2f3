import { counted } from "../domain/wording.ts";

/**
 * What is wrong with a config, a rule, a flag or a variable, and where. Problems are values: all of
 * them are gathered over all files, and shown at once.
 */
export type Problem = {
  /** If it is left out, this is an error, and nothing runs. A `note` changes no exit code. */
  readonly severity?: "warning" | "note";
  /** Stable, for tests and for searching the docs: `config/unknown-key`, `rule/unknown-fact`. */
  readonly id: string;
  /** The file, or the flag or environment variable, that holds it. */
  readonly file: string;
  /** From 1; 0 if there is no position (a flag, a variable, a file that is not there). */
  readonly line: number;
  /** From 1; 0 if there is no position. */
  readonly column: number;
  /** How many characters of the line it covers. */
  readonly length?: number;
  /** The key, such as `aggregators[0].base_url`. */
  readonly path?: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** What it is in, such as `group "pairs", rule "PairDisabled"`. */
  readonly within?: string;
  /** The line of the source, unless it may hold a secret. */
  readonly excerpt?: string | undefined;
};

/** One that has no position: of a flag, a variable, or a file as a whole. */
export function problemWithoutPlace(
  file: string,
  id: string,
  message: string,
  hint?: string,
): Problem {
  return { id, file, line: 0, column: 0, message, hint };
}

/** The columns of a terminal, if none are given. */
const WIDE = 147;
/** How many columns there are to print it in. */
type Shown = { readonly width?: number | undefined };
/** What is printed before a line of the source. */
const MARGIN = "     | ";

/** One problem as several lines of text: position, message, id; the line with a mark, within the width; the hint. */
export function renderProblem(
  problem: Problem,
  { width = WIDE }: Shown = {},
  /** The same at other places, which are named below it. */
  others: readonly Problem[] = [],
): string {
  const severity = problem.severity ?? "error";
  const lines = [
    `${placeOf(problem)}: ${severity}: ${problem.message} (${problem.id})`,
    ...renderExcerpt(problem, width - MARGIN.length),
  ];
  if (problem.hint !== undefined) lines.push(`      ${problem.hint}`);
  if (problem.within !== undefined) lines.push(`      in ${problem.within}`);
  if (others.length > 0) lines.push(`      the same at ${others.map(placeOf).join(", ")}`);
  return lines.map(withoutControlCharacters).join("\n");
}

function placeOf({ file, line, column }: Problem): string {
  return line > 0 ? `${file}:${line}:${column}` : file;
}

/**
 * All problems in the order of file and position, and how many there are of each severity. Warnings and notes that say
 * the same are shown as one: there is one for each rule of a kind that is not watched, or without a test.
 */
export function renderProblems(problems: readonly Problem[], shown: Shown = {}): string {
  const groups = Map.groupBy(sortProblems(problems), ({ severity, id, message, hint }, index) =>
    severity === undefined ? index : JSON.stringify([severity, id, message, hint]),
  );
  const texts = [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [renderProblem(first, shown, others)],
  );
  const names = { error: "problem", warning: "warning", note: "note" };
  const counts = Object.entries(names).flatMap(([severity, name]) => {
    const count = problems.filter((problem) => (problem.severity ?? "error") === severity).length;
    return count === 0 ? [] : [counted(count, name)];
  });
  texts.push(counts.length === 0 ? "0 problems" : counts.join(", "));
  return texts.join("\n");
}

export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}

/** Sorted and without repetitions: by a YAML alias, or as a file of two lists, one mistake may be found twice. */
export function distinctProblems(problems: readonly Problem[]): readonly Problem[] {
  const keyOf = ({ id, file, line, column, message, path }: Problem): string =>
    JSON.stringify([id, file, line, column, message, line === 0 ? path : undefined]);
  return [...new Map(sortProblems(problems).map((one) => [keyOf(one), one])).values()];
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function renderExcerpt(problem: Problem, widest: number): string[] {
  if (problem.excerpt === undefined || problem.line === 0) return [];
  const start = Math.max(0, problem.column - 1 - Math.floor(widest / 2));
  const shown = problem.excerpt.slice(start, start + widest);
  const before = problem.excerpt.slice(start, problem.column - 1);
  const number = String(problem.line).padStart(4);
  const room = Math.max(1, shown.length - before.length);
  const mark = "^".repeat(Math.min(Math.max(1, problem.length ?? 1), room));
  // A tab stays a tab, so that the mark is below what it marks.
  return [`${number} | ${shown}`, `${MARGIN}${before.replace(/[^\t]/g, " ")}${mark}`];
}

/** A config may come from someone else, so none of its escape sequences must reach the terminal. */
function withoutControlCharacters(line: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return line.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "\uFFFD");
}
