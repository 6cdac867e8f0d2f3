import { spentWithin } from "../../../core/act/guards/budget.ts";
import type { LedgerEntry, Storm } from "../../../core/state.ts";
import { MODES } from "../../../domain/action.ts";
import { parseEntityKey } from "../../../domain/entity.ts";
import type { Scope } from "../../../domain/hold.ts";
import type { Budget } from "../../../domain/rule.ts";
import { KILL_SOURCES } from "../../../domain/step.ts";
import { SECOND } from "../../../domain/time.ts";
import { countGauge, gauge, plainGauge } from "../builders.ts";
import type { Metric, MetricsSource } from "../definition.ts";
import {
  ACTING_ALERTNAME,
  AGGREGATOR,
  BUDGET_NAME,
  knownLabels,
  oneOf,
  REPAIRED_KIND,
} from "../labels.ts";

const HOLD_SCOPES = ["entity", "kind", "rule", "aggregator", "everything"] as const;
const ACTING_RULE = [AGGREGATOR, ACTING_ALERTNAME] as const;

/** What allows actions and what stops them: the mode, kill switches, budgets, storms, holds, quarantines. */
export const actingMetrics: readonly Metric[] = [
  gauge({
    name: "aggwatch_actions_mode",
    help: "1 for the mode in force: the ceiling over all rules.",
    labels: [oneOf("mode", MODES)],
    read: ({ policy }) => [[{ mode: policy.acting.mode }, 1]],
  }),
  countGauge({
    name: "aggwatch_killed",
    help: "1 while the source's kill switch is on and no action is sent, else 0.",
    labels: [oneOf("source", KILL_SOURCES)],
    items: ({ state }) =>
      KILL_SOURCES.filter((source) => state.tables.kill.has(source)).map((source) => ({ source })),
  }),
  gauge({
    name: "aggwatch_budget_remaining",
    help: "Actions that the budget still allows in its window up to now; `name` is the action or the rule. A rule has a budget for each aggregator; the others are for all aggregators, and their label is empty.",
    labels: [oneOf("scope", ["global", "action", "rule"]), BUDGET_NAME, AGGREGATOR],
    read: budgets,
  }),
  gauge({
    name: "aggwatch_storms",
    help: "1 while the rule has a storm and none of its actions is sent, else 0.",
    labels: ACTING_RULE,
    read: (source) => storms(source, ({ clearedAt }) => clearedAt === undefined),
  }),
  gauge({
    name: "aggwatch_storms_ramping",
    help: "1 while acting grows from one action after a storm, else 0; `*` after a hold or the kill switch.",
    labels: ACTING_RULE,
    read: (source) => [
      ...storms(source, ({ clearedAt }) => clearedAt !== undefined),
      [{ aggregator: "*", alertname: "*" }, Number(source.state.tables.storm.has("*|*"))],
    ],
  }),
  countGauge({
    name: "aggwatch_holds",
    help: "Holds in force, by what they cover: an entity (and what belongs to it), a kind, a rule, an aggregator, everything.",
    labels: [oneOf("scope", HOLD_SCOPES)],
    items: ({ state }) =>
      [...state.tables.hold.values()].map(({ scope }) => ({ scope: scopeWord(scope) })),
  }),
  plainGauge({
    name: "aggwatch_hold_next_expiry_timestamp_seconds",
    help: "When the next hold ends; absent while there is none.",
    value: ({ state }) => {
      const ends = [...state.tables.hold.values()].map(({ until }) => until);
      return ends.length === 0 ? undefined : Math.min(...ends) / SECOND;
    },
  }),
  plainGauge({
    name: "aggwatch_silences",
    help: "Silences in force.",
    value: ({ state }) => state.tables.silence.size,
  }),
  countGauge({
    name: "aggwatch_quarantined",
    help: "Entities in quarantine, because their repairs were undone again and again.",
    labels: [AGGREGATOR, REPAIRED_KIND],
    items: quarantined,
  }),
];

/** A quarantine outlasts an aggregator that leaves the config, but is a problem again only once that is back. */
function* quarantined({ policy, state }: MetricsSource) {
  const watched = new Set(policy.aggregators.map(({ name }) => name));
  for (const key of state.tables.quarantine.keys()) {
    const { aggregator, kind } = parseEntityKey(key);
    if (watched.has(aggregator)) yield { aggregator, kind };
  }
}

/** The narrowest thing that a scope names. */
function scopeWord({ id, kind, rule, aggregator }: Scope): (typeof HOLD_SCOPES)[number] {
  if (id !== undefined) return "entity";
  if (kind !== undefined) return "kind";
  if (rule !== undefined) return "rule";
  return aggregator === undefined ? "everything" : "aggregator";
}

function* budgets({ policy, state }: MetricsSource) {
  const { acting, rules } = policy;
  const left = ({ max, perMs }: Budget, counts: (entry: LedgerEntry) => boolean): number =>
    Math.max(0, max - spentWithin(state.ledger, perMs, state.at, counts).length);
  const over = { name: "", aggregator: "" };
  yield [{ ...over, scope: "global" }, left(acting.budget, () => true)] as const;
  for (const [name, budget] of Object.entries(acting.budgets)) {
    yield [
      { ...over, scope: "action", name },
      left(budget, ({ action }) => action === name),
    ] as const;
  }
  for (const { aggregator = "", alertname = "" } of knownLabels(ACTING_RULE, policy)) {
    const budget = rules.get(alertname)?.act?.budget;
    if (budget === undefined) continue;
    const own = left(
      budget,
      (entry) => entry.rule === alertname && entry.aggregator === aggregator,
    );
    yield [{ scope: "rule", name: alertname, aggregator }, own] as const;
  }
}

/** Every rule that acts has a series for each aggregator that it judges. */
function storms({ policy, state }: MetricsSource, counts: (storm: Storm) => boolean) {
  const counted = [...state.tables.storm.values()].filter(counts);
  const found = new Set(counted.map(({ aggregator, rule }) => `${aggregator} ${rule}`));
  return knownLabels(ACTING_RULE, policy).map(
    ({ aggregator = "", alertname = "" }) =>
      [{ aggregator, alertname }, Number(found.has(`${aggregator} ${alertname}`))] as const,
  );
}
