import type { ActionName } from "../../domain/action.ts";
import type { Rule } from "../../domain/rule.ts";
import type { CelLanguage } from "../cel/environment.ts";
import type { RuleActions } from "../rules/compile-rule.ts";
import { withinRule, type RulePlace } from "../rules/rule-work.ts";
import { placerInScalar, problemAtPath } from "../yaml/yaml-source.ts";
import { nodeAt, type YamlPath, type YamlSource } from "../yaml/yaml-source.ts";
import type { Problem } from "../problem.ts";
import type { AggregatorSettings } from "../settings/resolve-aggregator.ts";

/** Lint: what runs as written, but is probably not meant so, or not wise. */

/** A rule that compiles, and where it is. */
export type LintedRule = {
  readonly rule: Rule;
  readonly place: RulePlace;
  readonly language: CelLanguage;
};

export type LintInput = {
  /** Those that are enabled. */
  readonly rules: readonly LintedRule[];
  readonly sources: readonly YamlSource[];
  /** Empty if the config has a problem: nothing is known of them then. */
  readonly aggregators: readonly AggregatorSettings[];
  readonly actions: ReadonlyMap<ActionName, RuleActions>;
  /** What the rule tests beside the rules name: `testedNames`. */
  readonly tested: ReadonlySet<string>;
  /** Whether a file that a rule names exists; `beside` is the file of the rule. */
  readonly fileExists: (path: string, beside: string) => boolean;
  /** Rule files that have problems: a comment in them may be about a rule that is not among `rules`. */
  readonly broken: ReadonlySet<string>;
};

/** What a check found in a rule: a position, and what to say. */
export type LintFinding = {
  /** Below the rule: `["act", "mode"]`. */
  readonly path: YamlPath;
  /** Within the expression at that path. */
  readonly range?: { readonly start: number; readonly end: number };
  readonly message: string;
  readonly hint?: string | undefined;
};

/** One check. The text of the docs follows from it. */
export type LintCheck = {
  /** Stable: `lint/no-test`. */
  readonly id: string;
  /** If it is left out, this is a warning, and `aggwatch check` exits with 3; a `note` is only shown. */
  readonly severity?: "note";
  /** One line. */
  readonly means: string;
  readonly why: string;
  readonly mend: string;
  readonly find: (
    linted: LintedRule,
    input: LintInput,
  ) => LintFinding | readonly LintFinding[] | undefined;
};

/** Most are warnings. */
export const severityOf = ({ severity }: LintCheck): "warning" | "note" => severity ?? "warning";

/** A finding as a problem, at its place in the file. */
export function problemOfFinding(
  check: LintCheck,
  { rule, place }: LintedRule,
  finding: LintFinding,
): Problem {
  const { source } = place;
  const path = [...place.path, ...finding.path];
  const details = {
    id: check.id,
    severity: severityOf(check),
    message: finding.message,
    within: withinRule(rule.group, rule.alert),
    hint: finding.hint,
  };
  if (finding.range === undefined)
    return problemAtPath(source, path, details, finding.path.at(-1) === "act" ? "key" : "value");
  return placerInScalar(source, path)(finding.range, details);
}

/** Whether a key of a rule is written, rather than left to its default. */
export function isWritten({ place }: LintedRule, path: YamlPath): boolean {
  return nodeAt(place.source, [...place.path, ...path]).found;
}
