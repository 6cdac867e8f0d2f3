import { CONFIG_LINTS, withoutIgnored } from "../config-lints.ts";
import { sortProblems, type Problem } from "../problem.ts";
import type { Ignore } from "../yaml/ignore-comments.ts";
import { ignoreProblems } from "./ignores.ts";
import type { LintResult } from "./index.ts";

/** The lints of the config that are left, with those of its ignore comments. */
export function lintConfig(
  lints: readonly Problem[],
  ignores: readonly Ignore[],
  /** A lint may be missing because something else is wrong: a comment without effect is none then. */
  isSure: boolean,
): LintResult {
  const { left, used } = withoutIgnored(lints, ignores);
  const known = Object.keys(CONFIG_LINTS);
  const ofComments = ignores.flatMap((one) => ignoreProblems(one, !isSure || used.has(one), known));
  // A line of the config may hold a secret before the comment.
  const problems = [...left, ...ofComments.map((one) => ({ ...one, excerpt: undefined }))];
  return { problems: sortProblems(problems), ignored: lints.length - left.length };
}
