import { spentWithin } from "../../core/act/guards/budget.ts";
import type { LedgerEntry, Storm } from "../../core/state.ts";
import { judges } from "../../core/judge/verdict.ts";
import type { Scope } from "../../domain/hold.ts";
import type { Budget } from "../../domain/rule.ts";
import { SECOND } from "../../domain/time.ts";
import type { GaugeDefinition, MetricsSource, Series } from "./definition.ts";
import { sums } from "./readings.ts";

/** What allows and what stops actions: budgets, storms, holds, quarantines. */
export const actingGauges: readonly GaugeDefinition[] = [
  {
    name: "aggwatch_budget_remaining",
    help: "Actions that the budget still allows within its window that ends now; the name is that of the action or the rule. A rule has a budget for each aggregator; the others are over all, and have none in the label.",
    labels: ["scope", "name", "aggregator"],
    read: budgets,
  },
  {
    name: "aggwatch_storms",
    help: "1 while a storm of the rule stands and none of its actions is sent, else 0.",
    labels: ["aggregator", "alertname"],
    read: (source) => storms(source, ({ clearedAt }) => clearedAt === undefined),
  },
  {
    name: "aggwatch_storms_ramping",
    help: "1 while acting grows from one action after a storm, else 0; `*` after a hold or the kill switch.",
    labels: ["aggregator", "alertname"],
    read: function* ramping(source) {
      yield* storms(source, ({ clearedAt }) => clearedAt !== undefined);
      const everywhere = source.state.tables.storm.has("*|*") ? 1 : 0;
      yield [{ aggregator: "*", alertname: "*" }, everywhere];
    },
  },
  {
    name: "aggwatch_holds",
    help: "Holds that stand, by what they cover: an entity (and what belongs to it), a kind, a rule, an aggregator, everything.",
    labels: ["scope"],
    read: ({ state }) =>
      sums([
        ...HOLD_SCOPES.map((scope): Series => [{ scope }, 0]),
        ...[...state.tables.hold.values()].map(({ scope }): Series => [
          { scope: scopeWord(scope) },
          1,
        ]),
      ]),
  },
  {
    name: "aggwatch_hold_next_expiry_timestamp_seconds",
    help: "When the next hold ends; absent while there is none.",
    labels: [],
    read: ({ state }) => {
      const ends = [...state.tables.hold.values()].map(({ until }) => until);
      return ends.length === 0 ? [] : [[{}, Math.min(...ends) / SECOND]];
    },
  },
  {
    name: "aggwatch_silences",
    help: "Silences that stand.",
    labels: [],
    read: ({ state }) => [[{}, state.tables.silence.size]],
  },
  {
    name: "aggwatch_quarantined",
    help: "Entities in quarantine, as their repairs were undone again and again.",
    labels: ["aggregator", "kind"],
    read: quarantined,
  },
];

const HOLD_SCOPES = ["entity", "kind", "rule", "aggregator", "everything"] as const;

/** The narrowest thing that a scope names. */
function scopeWord({ id, kind, rule, aggregator }: Scope): (typeof HOLD_SCOPES)[number] {
  if (id !== undefined) return "entity";
  if (kind !== undefined) return "kind";
  if (rule !== undefined) return "rule";
  return aggregator === undefined ? "everything" : "aggregator";
}

function* budgets({ policy, state }: MetricsSource): Generator<Series> {
  const { acting, rules } = policy;
  const left = ({ max, perMs }: Budget, counts: Parameters<typeof spentWithin>[3]): number =>
    Math.max(0, max - spentWithin(state.ledger, perMs, state.at, counts).length);
  yield [{ scope: "global", name: "", aggregator: "" }, left(acting.budget, () => true)];
  for (const [action, budget] of Object.entries(acting.budgetByAction)) {
    const counts = (entry: LedgerEntry): boolean => entry.action === action;
    yield [{ scope: "action", name: action, aggregator: "" }, left(budget, counts)];
  }
  for (const rule of rules.values()) {
    const { alert, act } = rule;
    if (act === undefined) continue;
    for (const { name: aggregator } of policy.aggregators) {
      if (!judges(rule, aggregator)) continue;
      const counts = (entry: LedgerEntry): boolean =>
        entry.rule === alert && entry.aggregator === aggregator;
      yield [{ scope: "rule", name: alert, aggregator }, left(act.budget, counts)];
    }
  }
}

/** Every rule that acts has its series on each aggregator that it judges. */
function* storms(
  { policy, state }: MetricsSource,
  counts: (storm: Storm) => boolean,
): Generator<Series> {
  const standing = new Set<string>();
  for (const storm of state.tables.storm.values()) {
    if (counts(storm)) standing.add(`${storm.aggregator} ${storm.rule}`);
  }
  for (const { name: aggregator } of policy.aggregators) {
    for (const rule of policy.rules.values()) {
      const { alert: alertname, act } = rule;
      if (act === undefined || !judges(rule, aggregator)) continue;
      yield [{ aggregator, alertname }, standing.has(`${aggregator} ${alertname}`) ? 1 : 0];
    }
  }
}

function quarantined({ policy, state }: MetricsSource): Iterable<Series | undefined> {
  const kinds = new Set<string>();
  for (const { kind, act } of policy.rules.values()) if (act !== undefined) kinds.add(kind);
  const none = policy.aggregators.flatMap(({ name: aggregator }) =>
    [...kinds].map((kind): Series => [{ aggregator, kind }, 0]),
  );
  const standing = [...state.tables.quarantine.keys()].map((key): Series => {
    const [aggregator = "", kind = ""] = key.split("/");
    return [{ aggregator, kind }, 1];
  });
  return sums([...none, ...standing]);
}
