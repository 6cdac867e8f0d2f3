import { KILL_SOURCES } from "../../domain/step.ts";
import { SECOND } from "../../domain/time.ts";
import { actingGauges } from "./gauges-acting.ts";
import { ownGauges } from "./gauges-own.ts";
import type { GaugeDefinition, MetricsSource } from "./definition.ts";
import { notifyGauges } from "./notify-metrics.ts";
import {
  alertsByState,
  countOfKind,
  liquidationsByStatus,
  oldestActiveSwap,
  oldestOpenLiquidation,
  pairsDisabled,
  perAggregator,
  perExchange,
  perPoller,
  poolReserves,
  swapsActive,
} from "./readings.ts";
import { wideGauges } from "./wide-gauges.ts";
import { watchGauges } from "./watch-gauges.ts";

/**
 * Never an id, a hash or a raw address in a label: senders by their configured alias, swaps and
 * orders as counts. Times are timestamps in seconds, not ages, so that they are right between scrapes.
 * The last sure reading stays in sight while a surface cannot be read; `aggwatch_up` tells that.
 */
export const gauges: readonly GaugeDefinition[] = [
  {
    name: "aggwatch_up",
    help: "1 if the poller's last poll read at least one of its surfaces, else 0.",
    labels: ["aggregator", "poller"],
    read: (source) => perPoller(source, (facts) => (facts["up"] === true ? 1 : 0)),
  },
  {
    name: "aggwatch_poller_stale",
    help: "1 if the poller has read nothing for longer than stale_after, else 0.",
    labels: ["aggregator", "poller"],
    read: (source) => perPoller(source, (facts) => (facts["stale"] === true ? 1 : 0)),
  },
  {
    name: "aggwatch_poller_failing_surfaces",
    help: "Surfaces (senders, orders, listings) whose last reading failed.",
    labels: ["aggregator", "poller"],
    read: (source) => perPoller(source, (facts) => Number(facts["failing_surfaces"] ?? 0)),
  },
  {
    name: "aggwatch_last_poll_success_timestamp_seconds",
    help: "When the last poll that read something was asked; 0 before the first.",
    labels: ["aggregator", "poller"],
    read: (source) => perPoller(source, (facts) => Number(facts["last_success"] ?? 0) / SECOND),
  },
  {
    name: "aggwatch_listing_truncated",
    help: "1 while a listing of the poller is cut or doubted, so that who is absent is not known, else 0.",
    labels: ["aggregator", "poller"],
    read: (source) =>
      perPoller(source, (facts) => (Number(facts["truncated_surfaces"] ?? 0) > 0 ? 1 : 0)),
  },
  {
    name: "aggwatch_exchange_disabled",
    help: "1 if the exchange is in the disabled listing, else 0; for every known exchange.",
    labels: ["aggregator", "exchange"],
    kinds: () => [["exchange"]],
    read: (source) => perExchange(source, "disabled"),
  },
  {
    name: "aggwatch_exchange_missing",
    help: "1 if a known exchange is neither in the list nor in the disabled listing, else 0.",
    labels: ["aggregator", "exchange"],
    kinds: () => [["exchange"]],
    read: (source) => perExchange(source, "missing"),
  },
  {
    name: "aggwatch_pairs_disabled",
    help: "Asset pairs that are disabled on the exchange.",
    labels: ["aggregator", "exchange"],
    kinds: () => [["exchange", "pair"]],
    read: pairsDisabled,
  },
  {
    name: "aggwatch_swaps_active",
    help: "Active atomic swaps of the sender (its configured alias; `unnamed` for all without one).",
    labels: ["aggregator", "sender"],
    kinds: () => [["sender"]],
    read: swapsActive,
  },
  {
    name: "aggwatch_oldest_active_swap_first_seen_timestamp_seconds",
    help: "When the oldest active swap of the sender was first seen; absent while there is none.",
    labels: ["aggregator", "sender"],
    kinds: () => [["swap"]],
    read: oldestActiveSwap,
  },
  {
    name: "aggwatch_liquidation_orders",
    help: "Watched liquidation orders by status; `unknown` for all whose status word no setting knows.",
    labels: ["aggregator", "status"],
    kinds: () => [["liquidation"]],
    read: liquidationsByStatus,
  },
  {
    name: "aggwatch_oldest_open_liquidation_since_timestamp_seconds",
    help: "Since when the open liquidation order that has had its status longest has had it; absent while none is open.",
    labels: ["aggregator", "status"],
    kinds: () => [["liquidation"]],
    read: oldestOpenLiquidation,
  },
  {
    name: "aggwatch_pool_reserve_amount",
    help: "Reserve of the asset in the pool, in units of the asset.",
    labels: ["aggregator", "factory", "pair", "asset"],
    kinds: () => [["pool"]],
    read: poolReserves,
  },
  {
    name: "aggwatch_entities",
    help: "Entities that are watched, by kind.",
    labels: ["aggregator", "kind"],
    kinds: everyKind,
    read: (source, [kind = ""]) => countOfKind(source, kind, () => true),
  },
  {
    name: "aggwatch_entities_unknown",
    help: "Entities of which nothing sure is known now, by kind.",
    labels: ["aggregator", "kind"],
    kinds: everyKind,
    read: (source, [kind = ""]) =>
      countOfKind(source, kind, (entity) => entity.unknownSince !== undefined),
  },
  {
    name: "aggwatch_alerts",
    help: "Alerts by rule and state; every rule has its series.",
    labels: ["aggregator", "alertname", "severity", "state"],
    read: alertsByState,
  },
  {
    name: "aggwatch_remediations_in_flight",
    help: "Remediations that are not settled yet.",
    labels: ["aggregator"],
    read: (source) => perAggregator(source, source.state.unsettled.keys()),
  },
  {
    name: "aggwatch_proposals",
    help: "Remediations that wait for a person's approval.",
    labels: ["aggregator"],
    read: (source) => {
      const waiting = [...source.state.tables.proposal.values()].filter(
        (proposal) => proposal.denial === undefined,
      );
      return perAggregator(
        source,
        waiting.map((proposal) => proposal.entity.aggregator),
      );
    },
  },
  {
    name: "aggwatch_killed",
    help: "1 while the source's kill switch is on and no action is sent, else 0.",
    labels: ["source"],
    read: ({ state }) =>
      KILL_SOURCES.map((source) => [{ source }, state.tables.kill.has(source) ? 1 : 0] as const),
  },
  {
    name: "aggwatch_journal_writable",
    help: "1 if the last commit to the journal succeeded, else 0 (then no action is sent).",
    labels: [],
    read: ({ journalWritable }) => [[{}, journalWritable ? 1 : 0]],
  },
  {
    name: "aggwatch_actions_mode",
    help: "1 for the mode in force: the ceiling over all rules.",
    labels: ["mode"],
    read: ({ policy }) => [[{ mode: policy.acting.ceiling }, 1]],
  },
  {
    name: "aggwatch_config_last_reload_successful",
    help: "1 if the last reading of config and rules came out, else 0 (then those before are in force).",
    labels: [],
    read: ({ reload }) => [[{}, reload.successful ? 1 : 0]],
  },
  {
    name: "aggwatch_config_last_reload_success_timestamp_seconds",
    help: "When config and rules were last read without a problem; the start counts.",
    labels: [],
    read: ({ reload }) => [[{}, reload.successAt / SECOND]],
  },
  {
    name: "aggwatch_config_hash",
    help: "A hash of the config and rules in force; secrets do not count.",
    labels: [],
    read: ({ reload }) => [[{}, reload.hash]],
  },
  {
    name: "aggwatch_started_timestamp_seconds",
    help: "When the watchdog started.",
    labels: [],
    read: ({ state }) => [[{}, Math.max(0, state.startedAt) / SECOND]],
  },
  ...wideGauges,
  ...watchGauges,
  ...actingGauges,
  ...ownGauges,
  ...notifyGauges,
];

/** Each kind on its own, as most of them stay as they are between two scrapes. */
function everyKind({ state }: MetricsSource): string[][] {
  return [...state.entitiesByKind.keys()].map((kind) => [kind]);
}
