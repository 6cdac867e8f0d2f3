import { ACTION_NAMES, MODES } from "../../../domain/action.ts";
import type { RuleCoverage } from "../../../core/explain/coverage.ts";
import { documented, instant, list, named, number, object, orNull, text, word } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { coverageRow } from "../status-rows.ts";
import { countsByState, type View } from "../lists/view.ts";
import type { RuleInForce } from "../past/in-force.ts";

/** `GET /api/v1/rules`: the rules in force, now or then, with their alerts and coverage. */

const rule = object({
  alert: named("alertname", text),
  group: text,
  file: text,
  line: number,
  kind: text,
  severity: text,
  action: orNull(word(ACTION_NAMES)),
  mode: documented(orNull(word(MODES)), {
    description: "The rule's own; the config's is a ceiling.",
  }),
  pending: number,
  firing: number,
  lastFiredAt: documented(orNull(instant), {
    description: "Of the alerts that are still in sight: those that fire, or ended recently.",
  }),
  coverage: documented(
    list(object({ aggregator: text, pending: number, firing: number, of: coverageRow })),
    {
      description:
        "The alerts of each aggregator, and on how many of its entities the rule can decide, if that was asked for.",
    },
  ),
  text: documented(orNull(text), {
    description: "As YAML; `null` in the past if the rules' texts were too long to record.",
  }),
});

export const rulesAnswer = documented(object({ at: instant, rules: list(rule) }), "Rules");

export type Covered = { readonly aggregator: string; readonly of: RuleCoverage };

export function rulesIn(
  { at, alerts: all }: Pick<View, "at" | "alerts">,
  rules: readonly RuleInForce[],
  covered: readonly Covered[],
): ValueOf<typeof rulesAnswer> {
  const byRule = Map.groupBy(all.values(), (alert) => alert.rule);
  const coveredBy = Map.groupBy(covered, ({ of }) => of.rule);
  return {
    at,
    rules: rules.map((one) => {
      const alerts = byRule.get(one.alert) ?? [];
      const { pending, firing } = countsByState(alerts);
      const coverage = coveredBy.get(one.alert) ?? [];
      const fired = alerts.flatMap(({ firedAt }) => firedAt ?? []);
      const lastFiredAt = fired.reduce((newest, at) => Math.max(newest, at), -Infinity);
      return {
        ...one,
        pending,
        firing,
        lastFiredAt: fired.length === 0 ? undefined : lastFiredAt,
        coverage: coverage.map(({ aggregator, of }) => {
          const own = alerts.filter(({ entity }) => entity.aggregator === aggregator);
          const { pending, firing } = countsByState(own);
          return { aggregator, pending, firing, of };
        }),
      };
    }),
  };
}
