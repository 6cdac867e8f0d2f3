import type { Entity, FactValue } from "../../../domain/entity.ts";
import { LEFT_OUT_REASONS } from "../../../domain/limits.ts";
import { SECOND } from "../../../domain/time.ts";
import { counter, entitiesOf, entityGauge, gauge, histogram, type SeriesOf } from "../builders.ts";
import { PAUSE, type Metric } from "../definition.ts";
import {
  AGGREGATOR,
  ASSET,
  BASE_ASSET,
  EXCHANGE,
  FACTORY,
  KIND,
  oneOf,
  ORDER_STATUS,
  PAIR,
  QUOTE_ASSET,
  SENDER,
  SOURCE_NETWORK,
} from "../labels.ts";

const EXCHANGES = { labels: [AGGREGATOR, EXCHANGE], kinds: ["exchange"] } as const;
const LIQUIDATIONS = { labels: [AGGREGATOR, ORDER_STATUS], kinds: ["liquidation"] } as const;
const MARKETS = { labels: [AGGREGATOR, PAIR], kinds: ["market"] } as const;
const BROKER_ASSETS = { labels: [AGGREGATOR, ASSET], kinds: ["broker_asset"] } as const;
const RESERVE_LABELS = [AGGREGATOR, FACTORY, PAIR, ASSET] as const;

/**
 * The entities of the aggregators. Senders appear by their configured alias, swaps and orders as counts. While a
 * surface cannot be read, its last sure reading stays; `aggwatch_up` shows that.
 */
export const entityMetrics: readonly Metric[] = [
  gauge({
    name: "aggwatch_entities",
    help: "Entities that are watched, by kind.",
    labels: [AGGREGATOR, KIND],
    read: ({ state: { counts } }) => byGroup(counts, counts),
  }),
  gauge({
    name: "aggwatch_entities_unknown",
    help: "Entities whose state is unknown now, by kind.",
    labels: [AGGREGATOR, KIND],
    read: ({ state: { counts, unknownCounts } }) => byGroup(counts, unknownCounts),
  }),
  counter({
    name: "aggwatch_entities_left_out_total",
    help: "Entities that are not watched, because there are more than `limits` allow: listed (beyond the most of its kind, at each reading), vanished (the oldest that are gone), restored (beyond the most when the journal was read, or a reload lowered it).",
    labels: [AGGREGATOR, KIND, oneOf("why", LEFT_OUT_REASONS)],
    from: "left_out",
    labelsOf: ({ aggregator, kind, why }) => ({ aggregator, kind, why }),
    by: ({ count }) => count,
  }),
  entityGauge({
    name: "aggwatch_exchange_disabled",
    help: "1 if the exchange is in the disabled listing, else 0; for every known exchange.",
    ...EXCHANGES,
    value: ({ facts }) => Number(facts["status"] === "disabled"),
  }),
  entityGauge({
    name: "aggwatch_exchange_missing",
    help: "1 if a known exchange is neither in the list nor in the disabled listing, else 0.",
    ...EXCHANGES,
    value: ({ facts }) => Number(facts["status"] === "missing"),
  }),
  entityGauge({
    name: "aggwatch_pairs_disabled",
    help: "Asset pairs that are disabled on the exchange.",
    labels: [AGGREGATOR, EXCHANGE],
    // An exchange without a disabled pair has a series too.
    kinds: ["exchange", "pair"],
    combine: "sum",
    value: ({ kind }) => Number(kind === "pair"),
  }),
  entityGauge({
    name: "aggwatch_swaps_active",
    help: "Active atomic swaps of the sender (its configured alias; `unnamed` for all without one).",
    labels: [AGGREGATOR, SENDER],
    kinds: ["sender"],
    combine: "sum",
    // An unknown number is not 0.
    value: ({ facts }) => numberOf(facts["active_swaps"]),
  }),
  entityGauge({
    name: "aggwatch_oldest_active_swap_first_seen_timestamp_seconds",
    help: "When the oldest active swap of the sender was first seen; absent while there is none.",
    labels: [AGGREGATOR, SENDER],
    kinds: ["swap"],
    combine: "min",
    value: ({ facts, firstSeen }) => (facts["active"] === true ? firstSeen / SECOND : undefined),
  }),
  histogram({
    name: "aggwatch_swap_duration_seconds",
    help: "How long swaps took that were seen active before they were seen settled, by source network; too long by up to one schedule of the poller swap_history.",
    labels: [AGGREGATOR, SOURCE_NETWORK],
    from: "took",
    buckets: [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 21_600, 86_400],
    sample: ({ entity, tookMs }) =>
      entity.kind === "swap_route"
        ? [
            { aggregator: entity.aggregator, source_network: SOURCE_NETWORK.of(entity) },
            tookMs / SECOND,
          ]
        : undefined,
  }),
  entityGauge({
    name: "aggwatch_liquidation_orders",
    help: "Watched liquidation orders by status; `unknown` for all whose status word no setting knows.",
    ...LIQUIDATIONS,
    combine: "sum",
    value: () => 1,
  }),
  entityGauge({
    name: "aggwatch_oldest_open_liquidation_since_timestamp_seconds",
    help: "When the open liquidation order that has had its status longest got it; absent while none is open.",
    ...LIQUIDATIONS,
    combine: "min",
    // An order whose status no setting knows is neither open nor final.
    value: ({ facts, since }) => (facts["final"] === false ? since / SECOND : undefined),
  }),
  gauge({
    name: "aggwatch_pool_reserve_amount",
    help: "Reserve of the asset in the pool, in units of the asset; `base` and `quote` if the pair does not name two assets.",
    labels: RESERVE_LABELS,
    kinds: ["pool"],
    *read(source) {
      for (const pool of entitiesOf(source, "pool")) {
        if (pool === PAUSE) yield PAUSE;
        else yield* reserves(pool);
      }
    },
  }),
  entityGauge({
    name: "aggwatch_pool_estimate_departure_ratio",
    help: "How far the pool's estimation is from the value that its reserves give, as a share.",
    labels: [AGGREGATOR, FACTORY, PAIR],
    kinds: ["pool"],
    value: ({ facts }) => numberOf(facts["estimate_departure"]),
  }),
  entityGauge({
    name: "aggwatch_market_listed",
    help: "1 if the pair is in the list of pairs, 0 if it was before and is not now.",
    ...MARKETS,
    value: ({ facts }) => Number(facts["listed"] === true),
  }),
  entityGauge({
    name: "aggwatch_market_price",
    help: "The pair's current price, in units of its quote asset.",
    ...MARKETS,
    value: ({ facts }) => numberOf(facts["price"]),
  }),
  entityGauge({
    name: "aggwatch_market_volume",
    help: "The pair's volume, as the aggregator gives it.",
    ...MARKETS,
    value: ({ facts }) => numberOf(facts["volume"]),
  }),
  entityGauge({
    name: "aggwatch_broker_asset_amount",
    help: "How much of the asset all brokers hold for atomic swaps, in its units.",
    ...BROKER_ASSETS,
    value: ({ facts }) => numberOf(facts["total"]),
  }),
  entityGauge({
    name: "aggwatch_broker_asset_in_flight_amount",
    help: "How much of the asset the active swaps of the watched senders will need; absent while that is not sure.",
    ...BROKER_ASSETS,
    value: ({ facts }) => numberOf(facts["in_flight"]),
  }),
];

/** The core keeps these counts, so that a scrape need not walk over the entities. */
function* byGroup(
  groups: ReadonlyMap<string, number>,
  counts: ReadonlyMap<string, number>,
): Generator<SeriesOf<readonly [typeof AGGREGATOR, typeof KIND]>> {
  for (const group of groups.keys()) {
    const [aggregator = "", kind = ""] = group.split("/");
    yield [{ aggregator, kind }, counts.get(group) ?? 0];
  }
}

/** A missing fact has no value, not 0. */
function numberOf(value: FactValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function* reserves(pool: Entity): Generator<SeriesOf<typeof RESERVE_LABELS>> {
  const { aggregator, facts } = pool;
  const labels = { aggregator, factory: FACTORY.of(pool), pair: PAIR.of(pool) };
  for (const [fact, asset] of [
    ["base", BASE_ASSET],
    ["quote", QUOTE_ASSET],
  ] as const) {
    const amount = numberOf(facts[fact]);
    if (amount !== undefined) yield [{ ...labels, asset: asset.of(pool) }, amount];
  }
}
