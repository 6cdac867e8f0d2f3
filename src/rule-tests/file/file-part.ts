import type { ProblemDetails } from "../../config/rules/rule-work.ts";
import type { z } from "zod";
import type { Result } from "../../domain/result.ts";
import { SECOND, type Millis } from "../../domain/time.ts";
import { checkShape, placeShapeProblems } from "../../config/yaml/check-shape.ts";
import { isMisspelt, isStandIn } from "../../config/yaml/known-problems.ts";
import type { ShapeProblem } from "../../config/yaml/shape-problem.ts";
import type { Problem } from "../../config/problem.ts";
import type { TimelineProblem } from "./timeline.ts";
import { lineAt, problemAtPath } from "../../config/yaml/yaml-source.ts";
import type { YamlPath, YamlSource } from "../../config/yaml/yaml-source.ts";

/** A part of a test file, its place, and the alerts that it may name. */
export type FilePart = {
  readonly value: unknown;
  readonly path: YamlPath;
  readonly reporter: TestReporter;
  /** Undefined if the rules have problems of their own, so that any name may be an alert. */
  readonly alerts: readonly string[] | undefined;
};

/** Gathers the problems of one test file, each with its place in the text. */
export type TestReporter = {
  readonly problems: Problem[];
  /** Reports a problem, unless it only follows from a problem of shape at that path. */
  readonly report: (path: YamlPath, details: ProblemDetails) => void;
  /** Reports the problems of shape of the part at `base`, in the same way. */
  readonly reportShape: (base: YamlPath, problems: readonly ShapeProblem[]) => void;
  /** Whether one of these keys is perhaps at a path, but misspelt or wrong. */
  readonly isMisspelt: (path: YamlPath, keys: readonly string[]) => boolean;
  readonly lineOf: (path: YamlPath) => number;
};

export function testReporter(source: YamlSource): TestReporter {
  const problems: Problem[] = [];
  const known: ShapeProblem[] = [];
  return {
    problems,
    report: (path, { at, ...details }) => {
      if (isStandIn({ known }, path)) return;
      problems.push(problemAtPath(source, path, { ...details, ...within(source, path) }, at));
    },
    reportShape: (base, found) => {
      if (isStandIn({ known }, base)) return;
      known.push(...found.map((one) => ({ ...one, path: [...base, ...one.path] })));
      problems.push(...placeShapeProblems(source, base, "test", found, within(source, base)));
    },
    isMisspelt: (path, keys) => keys.some((key) => isMisspelt({ known }, [...path, key])),
    lineOf: (path) => lineAt(source, path),
  };
}

/** Names the test that contains a path. */
function within(source: YamlSource, path: YamlPath): { readonly within?: string } {
  const name: unknown = source.document.getIn([...path.slice(0, 2), "name"]);
  const isInTest = path[0] === "tests" && path.length > 1;
  return isInTest && typeof name === "string" ? { within: `test "${name}"` } : {};
}

/** The value; undefined if there is none, after the problem is reported. */
export function valueOf<Value>(
  reporter: TestReporter,
  path: YamlPath,
  result: Result<Value, TimelineProblem>,
): Value | undefined {
  if (result.ok) return result.value;
  reporter.report(path, { id: "test/timeline", ...result.problem });
  return undefined;
}

/** Reports a time that is not in whole seconds, as the time of a test passes second by second. */
export function checkSeconds(reporter: TestReporter, path: YamlPath, length: Millis): void {
  if (length % SECOND === 0) return;
  reporter.report(path, {
    id: "test/bad-value",
    message: `"${String(path.at(-1))}" must be in whole seconds`,
  });
}

/** The entries of a list within a part, each as a part of its own. */
export function entriesOf(
  part: FilePart,
  key: string,
  values: readonly unknown[] | undefined,
): readonly FilePart[] {
  return (values ?? []).map((value, index) => ({
    ...part,
    value,
    path: [...part.path, key, index],
  }));
}

/**
 * The part in its shape. Problems are reported, and wrong values replaced, so that the rest is checked as well.
 * Undefined if nothing of it is left.
 */
export function shapeOf<Schema extends z.ZodType>(
  { value, path, reporter }: Pick<FilePart, "value" | "path" | "reporter">,
  schema: Schema,
): z.output<Schema> | undefined {
  const shape = checkShape(schema, value, path.length > 0 ? { whole: "this entry" } : {});
  reporter.reportShape(path, shape.problems);
  return shape.value;
}
