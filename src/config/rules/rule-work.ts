import type { Result } from "../../domain/result.ts";
import type { ExpressionProblem } from "../cel/checks.ts";
import type { CelLanguage } from "../cel/environment.ts";
import type { Problem } from "../problem.ts";
import type { RuleText } from "./rule-schema.ts";
import { hintFor } from "../suggest.ts";
import type { ShapeProblem } from "../yaml/shape-problem.ts";
import type { YamlPath, YamlSource } from "../yaml/yaml-source.ts";

/** What the parts of a rule are compiled with. */

export type RulePlace = {
  readonly source: YamlSource;
  readonly path: YamlPath;
  readonly group: string;
  /** What is wrong with its shape, so that no mere consequence of that is reported. */
  readonly known: readonly ShapeProblem[];
};

/** Where a problem of a rule is, for people; the name is empty if the rule has none. */
export function withinRule(group: string, alert: string): string {
  return `group "${group}"${alert === "" ? "" : `, rule "${alert}"`}`;
}

/** What compiling one rule works with. */
export type Work = {
  readonly text: RuleText;
  readonly place: RulePlace;
  readonly language: CelLanguage;
  readonly report: (path: YamlPath, details: ProblemDetails) => void;
  /** Compiles the expression or template at a path, and reports what is wrong in it. */
  readonly compile: <Value>(
    path: YamlPath,
    source: string,
    compiler: Compiler<Value>,
  ) => Value | undefined;
};

export type ProblemDetails = Pick<Problem, "id" | "message" | "hint"> & Pick<ShapeProblem, "at">;
type Compiler<Value> = (
  language: CelLanguage,
  source: string,
) => Result<Value, readonly ExpressionProblem[]>;

export function unknownWord(
  id: string,
  what: string,
  word: string,
  known: readonly string[],
): ProblemDetails {
  return { id, message: `unknown ${what} "${word}"`, hint: hintFor(word, known) };
}

/** The name of an alert that no rule has. */
export function unknownAlert(id: string, alert: string, known: readonly string[]): ProblemDetails {
  return { id, message: `no rule is named "${alert}"`, hint: hintFor(alert, known) };
}
