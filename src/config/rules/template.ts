import { Duration } from "@marcbachmann/cel-js/evaluator";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Scope, Template } from "../../domain/rule.ts";
import { formatInstant, SECOND } from "../../domain/time.ts";
import type { ExpressionProblem } from "../cel/checks.ts";
import { formatLength, type CelLanguage } from "../cel/environment.ts";
import { compileExpression, refuseWhole, type Expression } from "../cel/cel.ts";

const UNKNOWN = "<unknown>";
const LONGEST_VALUE = 1_000;
const LONGEST_TEMPLATE = 10_000;

/** Reads text with `{{ CEL }}` in it. Every expression is checked; all problems are given. */
export function compileTemplate(
  language: CelLanguage,
  source: string,
  /** The most characters of one value; the rest is cut. */
  longestValue: number = LONGEST_VALUE,
): Result<Template, readonly ExpressionProblem[]> {
  if (source.length > LONGEST_TEMPLATE)
    return refuseWhole(source, "rule/too-long", `longer than ${LONGEST_TEMPLATE} characters`);
  const parts: Array<string | Expression> = [];
  const problems: ExpressionProblem[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf("{{", at);
    if (open < 0) break;
    const close = source.indexOf("}}", open + 2);
    if (close < 0) {
      problems.push({
        id: "rule/braces",
        message: "these braces are not closed",
        start: open,
        end: open + 2,
      });
      break;
    }
    parts.push(source.slice(at, open));
    const compiled = compileExpression(language, source.slice(open + 2, close));
    if (compiled.ok) parts.push(compiled.value);
    else problems.push(...compiled.problem.map((problem) => shift(problem, open + 2)));
    at = close + 2;
  }
  if (problems.length > 0) return fail(problems);
  parts.push(source.slice(at));
  const render = (scope: Scope): string =>
    parts
      .map((part) => (typeof part === "string" ? part : renderValue(part, scope, longestValue)))
      .join("");
  const reads = parts.flatMap((part) => (typeof part === "string" ? [] : part.reads));
  return succeed({ source, reads: [...new Set(reads)].sort(), render });
}

function shift(problem: ExpressionProblem, by: number): ExpressionProblem {
  return { ...problem, start: problem.start + by, end: problem.end + by };
}

function renderValue(expression: Expression, scope: Scope, longest: number): string {
  const outcome = expression.evaluate(scope);
  if (!outcome.ok) return boundText(expression, scope);
  const text = formatValue(outcome.value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** What is certain of a window that was only partly seen. */
function boundText({ fact }: Expression, { bounds }: Scope): string {
  const bound = fact === undefined ? undefined : bounds?.[fact];
  return bound === undefined ? UNKNOWN : `${bound.is} ${formatNumber(bound.value)}`;
}

/** A CEL value for people: `2m30s`, an ISO instant, a number without noise digits. */
function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date) return formatInstantSafely(value);
  if (value instanceof Duration) return formatAge(value);
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  return UNKNOWN;
}

/** A duration of a second or more is rounded to seconds, as an alert's text is for people. */
function formatAge(length: Duration): string {
  const milliseconds = length.valueOf();
  if (Math.abs(milliseconds) < SECOND) return formatLength(length);
  return formatLength(Duration.fromMilliseconds(Math.trunc(milliseconds / SECOND) * SECOND));
}

/** Twelve significant digits: 0.1 + 0.2 is 0.3, and a large reserve keeps its decimals. */
function formatNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(12)));
}

function formatInstantSafely(at: Date): string {
  return Number.isNaN(at.getTime()) ? UNKNOWN : formatInstant(at.getTime());
}
