import { sortProblems, type Problem } from "../problem.ts";
import { actsOnLostData, forceCancelActs, noVerifyWithin } from "./acting.ts";
import { alwaysTrue, neverTrue } from "./constant-conditions.ts";
import {
  belongsTo,
  ignoreProblems,
  ignoreWithoutReason,
  unknownIgnore,
  unusedIgnore,
} from "./ignores.ts";
import { ignoresOf, type Ignore } from "../yaml/ignore-comments.ts";
import { problemOfFinding, type LintCheck, type LintedRule, type LintInput } from "./lint-check.ts";
import { forShorterThanTwoPolls, pollerOff, watchesNothing } from "./polls.ts";
import * as keys from "./rule-keys.ts";

export type { LintCheck, LintedRule, LintInput } from "./lint-check.ts";
export { testedNames } from "./rule-keys.ts";

/** Every check, in the order of docs/lint.md. */
export const lintChecks: readonly LintCheck[] = [
  neverTrue,
  alwaysTrue,
  forShorterThanTwoPolls,
  keys.forLongerThanDuring,
  pollerOff,
  watchesNothing,
  keys.unknownAggregator,
  keys.unknownSeverity,
  actsOnLostData,
  forceCancelActs,
  noVerifyWithin,
  keys.noTest,
  keys.noRunbook,
  ignoreWithoutReason,
  unknownIgnore,
  unusedIgnore,
];

export type LintResult = {
  /** Sorted by place; none of them is an error. */
  readonly problems: readonly Problem[];
  /** How many were taken off by a comment. */
  readonly ignored: number;
};

/** Lints rules that compile. `idle` are those that are not enabled: only their comments count. */
export function lintRules(
  input: LintInput,
  idle: ReadonlyArray<Pick<LintedRule, "place">> = [],
): LintResult {
  const ignores = input.sources.flatMap(ignoresOf);
  // Comments that ignored something, and those on rules that were not linted.
  const used = new Set<Ignore>(
    ignores.filter(
      (ignore) =>
        idle.some((rule) => belongsTo(ignore, rule)) ||
        (input.broken.has(ignore.source.file) &&
          !input.rules.some((rule) => belongsTo(ignore, rule))),
    ),
  );
  const problems: Problem[] = [];
  let ignored = 0;
  for (const check of lintChecks)
    for (const linted of input.rules) {
      const { findings, isUnsure } = found(check, linted, input);
      if (findings.length === 0 && !isUnsure) continue;
      const match = ignores.find((ignore) => ignore.id === check.id && belongsTo(ignore, linted));
      if (match === undefined)
        problems.push(...findings.map((finding) => problemOfFinding(check, linted, finding)));
      else {
        used.add(match);
        ignored += findings.length;
      }
    }
  const known = lintChecks.map(({ id }) => id);
  problems.push(...ignores.flatMap((one) => ignoreProblems(one, used.has(one), known)));
  return { problems: sortProblems(problems), ignored };
}

/** A check that asks about aggregators finds nothing reliable if none is known. */
function found(check: LintCheck, linted: LintedRule, input: LintInput) {
  let isUnsure = false;
  const given = check.find(linted, {
    ...input,
    get aggregators() {
      isUnsure = input.aggregators.length === 0;
      return input.aggregators;
    },
  });
  return { findings: [given ?? []].flat(), isUnsure };
}
