import { stringify } from "yaml";
import type { During, Rule, WindowSpec } from "../../../domain/rule.ts";
import { HOUR, MINUTE, SECOND, type Millis } from "../../../domain/time.ts";

/** A rule in force, as YAML. Its file may say something else by now. */
export function ruleText(rule: Rule): string {
  const { alert, aggregators, windows, act } = rule;
  const labels = { ...sourcesOf(rule.labels), severity: rule.severity };
  const written = {
    alert,
    each: rule.kind,
    ...(aggregators === undefined ? {} : { aggregators }),
    ...(windows.length === 0 ? {} : { with: Object.fromEntries(windows.map(windowOf)) }),
    when: rule.when.source,
    ...(rule.during === undefined ? {} : { during: duringOf(rule.during) }),
    ...(rule.forMs === 0 ? {} : { for: duration(rule.forMs) }),
    ...(rule.keepFiringForMs === 0 ? {} : { keep_firing_for: duration(rule.keepFiringForMs) }),
    ...(rule.severity === "" && Object.keys(labels).length === 1 ? {} : { labels }),
    annotations: sourcesOf(rule.annotations),
    ...(rule.inhibitedBy.length === 0 ? {} : { inhibited_by: rule.inhibitedBy }),
    ...(act === undefined ? {} : { act: actOf(act) }),
  };
  const groups = [{ name: rule.group, rules: [written] }];
  return stringify({ groups }, { lineWidth: 0 });
}

function sourcesOf(templates: Rule["labels"]): Record<string, string> {
  return Object.fromEntries(Object.entries(templates).map(([name, { source }]) => [name, source]));
}

function windowOf({ name, fact, function: of, lengthMs, to }: WindowSpec) {
  const within = duration(lengthMs);
  return [name, { fact, [of]: to === undefined ? within : { to, within } }] as const;
}

function duringOf({ hours, days, timeZone }: During) {
  return { hours, days, time_zone: timeZone };
}

function actOf(act: NonNullable<Rule["act"]>) {
  const { storm } = act;
  return {
    action: act.action,
    mode: act.mode,
    ...(act.condition === undefined ? {} : { if: act.condition.source }),
    ...(act.during === undefined ? {} : { during: duringOf(act.during) }),
    cooldown: duration(act.cooldownMs),
    attempts: act.attempts,
    verify_within: duration(act.verifyWithinMs),
    budget: { max: act.budget.max, per: duration(act.budget.perMs) },
    storm: {
      max: storm.max,
      max_ratio: storm.maxRatio,
      within: duration(storm.withinMs),
    },
    ...(act.approvals === 1 ? {} : { approvals: act.approvals }),
  };
}

/** Exact, unlike `formatDuration`, which leaves out small units. */
function duration(lengthMs: Millis): string {
  const units = [
    ["h", HOUR],
    ["m", MINUTE],
    ["s", SECOND],
    ["ms", 1],
  ] as const;
  let rest = lengthMs;
  const parts = units.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count}${unit}`;
  });
  return parts.join("") || "0s";
}
