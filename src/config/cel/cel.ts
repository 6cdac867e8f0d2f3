import { EvaluationError, type ParseResult } from "@marcbachmann/cel-js";
import { fail, succeed, type Result } from "../../domain/result.ts";
import type { Condition, Scope, Verdict } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";
import { walkExpression, type ExpressionProblem } from "./checks.ts";
import { guardExpression } from "./guards.ts";
import { chargeValue, isReason, MOST_STEPS, TOO_COSTLY } from "./meter.ts";
import type { CelLanguage } from "./environment.ts";
import { judgeByBounds } from "./bounded.ts";
import { directionsOf, type Directions } from "./directions.ts";
import { flipsOf } from "./flips.ts";
import { factSelection } from "./nodes.ts";
import { nameHint, slipNear, typeHint } from "./slips.ts";
import { syntaxMessage } from "./syntax-message.ts";
import { hintFor } from "../suggest.ts";

/** A checked expression. `evaluate` never throws. */
export type Expression = {
  readonly source: string;
  /** The CEL type, such as `bool` or `double`. */
  readonly type: string;
  readonly readsTime: boolean;
  readonly reads: readonly string[];
  /** Those of them that it does not ask `has()` about. */
  readonly needs: readonly string[];
  readonly evaluate: (scope: Scope) => Result<unknown, string>;
  /** The fact, if the expression is one fact and nothing more. */
  readonly fact?: string;
  /** Which way it moves with the windowed facts that it reads. */
  readonly directions: Directions;
  /** When time alone may change what it gives, if that follows from its text. */
  readonly nextFlip?: (scope: Scope) => Instant;
};

const LONGEST_EXPRESSION = 4_000;
const LONGEST_REASON = 300;

/** Parses and type-checks an expression against the facts of a kind. */
export function compileExpression(
  language: CelLanguage,
  source: string,
): Result<Expression, readonly ExpressionProblem[]> {
  if (source.length > LONGEST_EXPRESSION)
    return refuseWhole(source, "rule/too-long", `longer than ${LONGEST_EXPRESSION} characters`);
  let program: ParseResult;
  try {
    program = language.environment.parse(source);
  } catch (error) {
    return fail([expressionProblem(error, source, language, "rule/syntax")]);
  }
  const use = walkExpression(program.ast, language);
  if (use.problems.length > 0) return fail(use.problems);
  const checked = program.check();
  if (!checked.valid)
    return fail([expressionProblem(checked.error, source, language, "rule/type")]);
  guardExpression(program.ast, language);
  const reads = [...use.reads].sort();
  const nextFlip = use.readsTime ? flipsOf(program.ast, language) : undefined;
  const fact = factSelection(program.ast, language)?.name;
  const work = { program, language, reads, asksWhetherKnown: use.asked.size > 0 };
  return succeed({
    ...(nextFlip === undefined ? {} : { nextFlip }),
    ...(fact === undefined ? {} : { fact }),
    directions: directionsOf(program.ast, language),
    source,
    type: checked.type ?? "dyn",
    readsTime: use.readsTime,
    reads,
    needs: reads.filter((name) => !use.asked.has(name)),
    evaluate: (scope) => evaluate(work, scope),
  });
}

/** An expression that must be of type bool, as a condition. */
export function compileCondition(
  language: CelLanguage,
  source: string,
): Result<Condition, readonly ExpressionProblem[]> {
  const compiled = compileExpression(language, source);
  if (!compiled.ok) return compiled;
  const expression = compiled.value;
  if (expression.type !== "bool")
    return refuseWhole(
      source,
      "rule/not-a-condition",
      `a condition must be true or false (bool), this is ${typeName(expression.type)}`,
    );
  return succeed({
    ...expression,
    judge: (scope) => {
      const { truth, reason = "" } = verdictOf(expression.evaluate(scope));
      if (truth !== "unknown") return { truth };
      return judgeByBounds(expression.evaluate, expression.directions, scope, reason);
    },
  });
}

function verdictOf(outcome: Result<unknown, string>): Verdict {
  if (!outcome.ok) return { truth: "unknown", reason: outcome.problem };
  if (typeof outcome.value !== "boolean")
    return { truth: "unknown", reason: "the condition gave neither true nor false" };
  return { truth: outcome.value ? "bad" : "ok" };
}

type Work = {
  readonly program: ParseResult;
  readonly language: CelLanguage;
  readonly reads: readonly string[];
  readonly asksWhetherKnown: boolean;
};

function evaluate(work: Work, scope: Scope): Result<unknown, string> {
  const { program, language } = work;
  const { meter } = language.scope;
  language.scope.now = scope.now;
  language.scope.facts = scope.facts;
  meter.left = MOST_STEPS;
  try {
    const value: unknown = program({
      now: new Date(scope.now),
      aggregator: { name: scope.aggregator },
      [language.kind]: work.asksWhetherKnown ? knownFacts(work, scope) : {},
    });
    // One list may be nested many times over without using memory; written out, it would.
    if (typeof value === "object") chargeValue(meter, value);
    // An evaluation that cost too much failed, even if `||` passed over the error.
    return meter.left < 0 ? fail(TOO_COSTLY.message) : succeed(value);
  } catch (error) {
    return fail(meter.left < 0 ? TOO_COSTLY.message : runTimeReason(error));
  }
}

/** The facts that `has()` may read. */
function knownFacts({ language, reads }: Work, scope: Scope): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const name of reads) {
    const value = Object.hasOwn(scope.facts, name) ? scope.facts[name] : undefined;
    if (value === undefined) continue;
    const isInstant = language.facts[name]?.type === "timestamp" && typeof value === "number";
    known[name] = isInstant ? new Date(value) : value;
  }
  return known;
}

function runTimeReason(error: unknown): string {
  if (isReason(error)) return error.message;
  const reason = error instanceof EvaluationError ? error.summary : String(error);
  return `the expression failed: ${reason.slice(0, LONGEST_REASON)}`;
}

/** The one problem of an expression or a template as a whole. */
export function refuseWhole(source: string, id: string, message: string) {
  return fail([{ id, message, start: 0, end: source.length }]);
}

/** What the library's error says, in the words of a rule's author. */
function expressionProblem(
  error: unknown,
  source: string,
  language: CelLanguage,
  id: string,
): ExpressionProblem {
  const details = error as {
    readonly code?: string;
    readonly summary?: string;
    readonly message?: string;
    readonly range?: { readonly start: number; readonly end: number };
  };
  const start = details.range?.start ?? 0;
  const end = details.range?.end ?? source.length;
  const summary = details.summary ?? details.message ?? "the expression cannot be read";
  if (details.code === "unknown_variable") {
    const name = source.slice(start, end);
    const known = [language.kind, "aggregator", "now"];
    const message = `unknown name "${name}"`;
    const slip = nameHint(name, source, start);
    const hint = slip ?? hintFor(name, known);
    return { id: "rule/unknown-name", message, start, end, hint };
  }
  const message = plainTypes(syntaxMessage(summary));
  if (id === "rule/syntax") return { id, message, start, end, ...slipNear(source, start, end) };
  return { id, message, start, end, hint: typeHint(message) };
}

function plainTypes(summary: string): string {
  return summary
    .replace(/google\.protobuf\.(\w+)/g, (_, name: string) => name.toLowerCase())
    .replace(/^Operator overload .* overlaps .*$/, "what an empty list holds is not known");
}

function typeName(type: string): string {
  return plainTypes(type).replace(/^\$/, "");
}
