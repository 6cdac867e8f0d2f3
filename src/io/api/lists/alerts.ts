import { alertStatusOf } from "../../../core/explain/alert-status.ts";
import { z } from "@hono/zod-openapi";
import { ALERT_STATES, type Alert } from "../../../domain/alert.ts";
import { entityKey } from "../../../domain/entity.ts";
import { SUPPRESSION_REASONS } from "../../../core/act/guards/index.ts";
import { SEVERITIES, severityRank } from "../../../domain/shown/severity.ts";
import { alias, pageNext, pageTotal } from "../answer-parts.ts";
import { documented, instant, list, named, number, object, orNull, text } from "../codec.ts";
import type { ValueOf } from "../codec.ts";
import { aliasOf } from "../details/about-finding.ts";
import { alertFields } from "../status-rows.ts";
import {
  aboutQuery,
  isAbout,
  pageQuery,
  pagingOf,
  pairsOf,
  pairsQuery,
  someOf,
  sortQuery,
  textMatcher,
  textQuery,
  wordQuery,
} from "./query.ts";
import { createPage, type SortValue } from "./select.ts";
import { countsByState, type View } from "./view.ts";

/** `GET /api/v1/alerts`: alerts, a page at a time, and their counts by rule. */

const ruleCount = object({
  rule: named("alertname", text),
  kind: orNull(text),
  severity: text,
  pending: number,
  firing: number,
  resolved: number,
});

const row = object({
  ...alertFields,
  alias,
});

const LONGEST_STATES = 100;

export const alertsAnswer = documented(
  object({
    at: instant,
    counts: documented(list(ruleCount), {
      description: "Of all that the query finds, whatever its rule and state; the worst first.",
    }),
    total: pageTotal,
    rows: named("alerts", list(row)),
    next: pageNext,
  }),
  "Alerts",
);

const SORTS = ["worst", "alertname", "active_at", "fired_at", "resolved_at", "entity"];

export const alertsQuery = z.object({
  ...aboutQuery,
  state: someOf(ALERT_STATES, LONGEST_STATES),
  severity: wordQuery,
  suppressed: z.enum(SUPPRESSION_REASONS).optional(),
  label: pairsQuery("`NAME=VALUE`, once or several times: the alert has this label."),
  text: textQuery,
  sort: sortQuery(SORTS, "worst"),
  ...pageQuery("alerts"),
});

type AlertsQuery = z.infer<typeof alertsQuery>;

export function alertsIn(view: View, query: AlertsQuery): ValueOf<typeof alertsAnswer> {
  const paging = pagingOf("alerts", query);
  const matches = matcherOf(query);
  const own: Array<Readonly<Alert>> = [];
  const found = createPage<Readonly<Alert>>(paging);
  for (const [key, alert] of view.alerts) {
    if (!matches(key, alert)) continue;
    own.push(alert);
    if (query.alertname !== undefined && query.alertname !== alert.rule) continue;
    if (query.state?.includes(alert.state) === false) continue;
    found.add({ key, item: alert, value: valueOf(paging.sortBy, alert) });
  }
  const { page, ...ends } = found.end();
  const rowOf = alertStatusOf(view);
  return {
    at: view.at,
    counts: countsOf(view, own),
    rows: page.map((alert) => ({
      ...rowOf(alert),
      alias: aliasOf(view.entities, entityKey(alert.entity)),
    })),
    ...ends,
  };
}

/** The filters of the counts: all except rule and state. */
function matcherOf(query: AlertsQuery): (key: string, alert: Readonly<Alert>) => boolean {
  const { severity, suppressed } = query;
  const labels = pairsOf(query.label);
  const hasText = textMatcher(query.text);
  return (key, alert) =>
    isAbout(query, alert.entity) &&
    (severity === undefined || severity === alert.severity) &&
    (suppressed === undefined || suppressed === alert.suppressed?.reason) &&
    labels.every(
      ([name, value]) => Object.hasOwn(alert.labels, name) && alert.labels[name] === value,
    ) &&
    hasText(key, alert.labels, alert.annotations, alert.facts);
}

const STATE_RANKS = { firing: 0, pending: 1, resolved: 2 } as const;

function valueOf(sortBy: string, alert: Readonly<Alert>): SortValue {
  switch (sortBy) {
    case "worst":
      return STATE_RANKS[alert.state] * SEVERITIES.length - severityRank(alert.severity);
    case "alertname":
      return alert.rule;
    case "active_at":
      return alert.activeAt;
    case "fired_at":
      return alert.firedAt;
    case "resolved_at":
      return alert.resolvedAt;
    default:
      return entityKey(alert.entity);
  }
}

type RuleCount = ValueOf<typeof ruleCount>;

/** The worst severity of the open alerts, or if none is open, of all. One that is over keeps that of its rule of then. */
function worstOf(alerts: readonly Readonly<Alert>[]): string {
  const open = alerts.filter(({ state }) => state !== "resolved");
  const severities = (open.length > 0 ? open : alerts).map(({ severity }) => severity);
  return severities.reduce((worst, one) => (severityRank(one) > severityRank(worst) ? one : worst));
}

function countsOf({ rules }: View, alerts: readonly Readonly<Alert>[]): RuleCount[] {
  return [...Map.groupBy(alerts, ({ rule }) => rule)]
    .map(([rule, own]): RuleCount => {
      const severity = worstOf(own);
      return { rule, kind: rules.get(rule)?.kind, severity, ...countsByState(own) };
    })
    .toSorted(
      (one, other) =>
        Number(other.firing > 0) - Number(one.firing > 0) ||
        severityRank(other.severity) - severityRank(one.severity) ||
        other.firing - one.firing ||
        other.pending - one.pending ||
        (one.rule < other.rule ? -1 : 1),
    );
}
