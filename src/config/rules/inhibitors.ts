import { isStandIn } from "../yaml/known-problems.ts";
import { problemAtPath } from "../yaml/yaml-source.ts";
import type { Problem } from "../problem.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { unknownAlert, withinRule, type ProblemDetails } from "./rule-work.ts";

/** The problems of `inhibited_by` that only all rules together show. */

/** Names of no rule. `others`: alerts of other files. */
export function unknownInhibitors(
  compiled: readonly CompiledRule[],
  others: ReadonlySet<string>,
): Problem[] {
  const known = new Set([...compiled.map(({ alert }) => alert), ...others]);
  return compiled.flatMap((rule) =>
    rule.inhibitedBy.flatMap((name, index) =>
      known.has(name) || isStandIn(rule.place, ["inhibited_by", index])
        ? []
        : [problemOf(rule, index, unknownAlert("rule/unknown-alert", name, [...known]))],
    ),
  );
}

/** Names of rules that the rule itself inhibits, directly or through others: if all fire, none of them is sent. */
export function circularInhibitors(compiled: readonly CompiledRule[]): Problem[] {
  const byName = new Map(
    compiled.filter(({ enabled }) => enabled).map((rule) => [rule.alert, rule]),
  );
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    from === to ||
    (!seen.has(from) &&
      (byName.get(from)?.inhibitedBy ?? []).some((next) => reaches(next, to, seen.add(from))));
  return [...byName.values()].flatMap((rule) =>
    rule.inhibitedBy.flatMap((name, index) =>
      reaches(name, rule.alert, new Set())
        ? [problemOf(rule, index, circleOf(rule.alert, name))]
        : [],
    ),
  );
}

function circleOf(alert: string, name: string): ProblemDetails {
  const message =
    alert === name
      ? `"${alert}" names itself`
      : `"${name}" is inhibited by "${alert}" in turn: if both fire, neither is sent`;
  return { id: "rule/circular-inhibition", message, hint: "leave one of them out" };
}

function problemOf(
  { alert, place: { source, path, group } }: CompiledRule,
  index: number,
  problem: ProblemDetails,
): Problem {
  return problemAtPath(source, [...path, "inhibited_by", index], {
    ...problem,
    within: withinRule(group, alert),
  });
}
