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

/**
 * Names of rules that the rule itself inhibits on the same aggregator, directly or through others: if all fire, none of
 * them is sent.
 */
export function circularInhibitors(compiled: readonly CompiledRule[]): Problem[] {
  const enabled = compiled.filter((rule) => rule.enabled);
  const named = new Set(enabled.flatMap(({ aggregators }) => aggregators ?? []));
  // The last is any aggregator that no rule names.
  const circles = [...named, undefined].map((aggregator) => circlesAmong(enabled, aggregator));
  return enabled.flatMap((rule) =>
    rule.inhibitedBy.flatMap((name, index) =>
      circles.some((isCircle) => isCircle(rule.alert, name))
        ? [problemOf(rule, index, circleOf(rule.alert, name))]
        : [],
    ),
  );
}

/** Whether one rule inhibits another in turn, of the rules that judge an aggregator. */
function circlesAmong(
  rules: readonly CompiledRule[],
  aggregator: string | undefined,
): (alert: string, inhibitor: string) => boolean {
  const judging = rules.filter(
    ({ aggregators }) =>
      aggregators === undefined || (aggregator !== undefined && aggregators.includes(aggregator)),
  );
  const byName = new Map(judging.map((rule) => [rule.alert, rule.inhibitedBy]));
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    from === to ||
    (!seen.has(from) && (byName.get(from) ?? []).some((next) => reaches(next, to, seen.add(from))));
  return (alert, inhibitor) => byName.has(alert) && reaches(inhibitor, alert, new Set());
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
