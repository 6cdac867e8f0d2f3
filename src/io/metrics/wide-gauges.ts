import type { Facts } from "../../domain/entity.ts";
import { SECOND } from "../../domain/time.ts";
import type { GaugeDefinition, HistogramDefinition, Labels, MetricsSource } from "./definition.ts";

/** Of the pollers that are off until a schedule is given. A broker's address is no label. */
export const wideGauges: readonly GaugeDefinition[] = [
  {
    name: "aggwatch_market_listed",
    help: "1 if the pair is in the list of pairs, 0 if it was before and is not now.",
    labels: ["aggregator", "pair"],
    kinds: () => [["market"]],
    read: (source) => perMarket(source, ({ listed }) => (listed === true ? 1 : 0)),
  },
  {
    name: "aggwatch_market_price",
    help: "The pair's current price, in units of its quote asset.",
    labels: ["aggregator", "pair"],
    kinds: () => [["market"]],
    read: (source) => perMarket(source, ({ price }) => price),
  },
  {
    name: "aggwatch_market_volume",
    help: "The pair's volume, as the aggregator gives it.",
    labels: ["aggregator", "pair"],
    kinds: () => [["market"]],
    read: (source) => perMarket(source, ({ volume }) => volume),
  },
  {
    name: "aggwatch_pool_estimate_departure_ratio",
    help: "How far the pool's estimation is from what its reserves give, as a share.",
    labels: ["aggregator", "factory", "pair"],
    kinds: () => [["pool"]],
    read: (source) =>
      numbers(source, "pool", ["factory", "pair"], ({ estimate_departure: ratio }) => ratio),
  },
  {
    name: "aggwatch_broker_asset_amount",
    help: "What all brokers hold of the asset for atomic swaps, in its units.",
    labels: ["aggregator", "asset"],
    kinds: () => [["broker_asset"]],
    read: (source) => numbers(source, "broker_asset", ["asset"], ({ total }) => total),
  },
  {
    name: "aggwatch_broker_asset_in_flight_amount",
    help: "What the active swaps of the watched senders are to be given of the asset; absent while that is not sure.",
    labels: ["aggregator", "asset"],
    kinds: () => [["broker_asset"]],
    read: (source) => numbers(source, "broker_asset", ["asset"], ({ in_flight: amount }) => amount),
  },
];

export const wideHistograms: readonly HistogramDefinition[] = [
  {
    name: "aggwatch_swap_duration_seconds",
    help: "How long swaps took that were seen active before they were seen settled, by source network; too long by up to one schedule of the poller swap_history.",
    labels: ["aggregator", "source_network"],
    buckets: [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 21_600, 86_400],
    start: () => [],
    observe: (finding) =>
      finding.type === "took" && finding.entity.kind === "swap_route"
        ? [
            { aggregator: finding.entity.aggregator, source_network: finding.entity.id },
            finding.tookMs / SECOND,
          ]
        : undefined,
  },
];

type Reading = (facts: Facts) => Facts[string] | undefined;

function perMarket(source: MetricsSource, read: Reading): Iterable<readonly [Labels, number]> {
  return numbers(source, "market", ["pair"], read);
}

/** One series for each entity of the kind whose reading is a number, labelled by its facts. */
function* numbers(
  { state }: MetricsSource,
  kind: string,
  labels: readonly string[],
  read: Reading,
): Generator<readonly [Labels, number]> {
  for (const key of state.entitiesByKind.get(kind) ?? []) {
    const entity = state.tables.entity.get(key);
    const value = entity === undefined ? undefined : read(entity.facts);
    if (entity === undefined || typeof value !== "number") continue;
    const own = labels.map((label) => [label, String(entity.facts[label] ?? "")] as const);
    yield [{ aggregator: entity.aggregator, ...Object.fromEntries(own) }, value];
  }
}
