import type { BrokerBalances } from "../aggregator/endpoints/swaps.ts";
import type { FactValue, Facts, KindDefinition, Lookup, SeenEntity } from "../domain/entity.ts";
import { madeOnce } from "../domain/lists/changed-items.ts";
import { identifierKey } from "../domain/identifier.ts";
import { finite, following, number, text } from "./fact-types.ts";
import { complete, definePoller, knownFacts, replyOf } from "./poller.ts";

const brokerKind = {
  kind: "broker",
  means: "A broker that holds balances for atomic swaps.",
  facts: {
    address: text("The broker's address."),
    assets: number("Number of assets that it has a balance of."),
    empty_assets: number("Number of assets with a balance of zero."),
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

export const brokerAssetKind = {
  kind: "broker_asset",
  means: "An asset that brokers hold for atomic swaps, across all brokers.",
  facts: {
    asset: text("The asset's ticker."),
    total: number("How much all brokers hold of it, in its units."),
    largest: number("How much the broker with most of it holds; no single swap can be larger."),
    brokers: number("Number of brokers that hold some of it."),
    in_flight: following(
      "swap",
      number(
        "How much of it the active swaps of the watched senders need; unknown until every watched sender was read, and while a swap's reading is doubted or does not say, or swaps are left out by `limits.entities`.",
      ),
    ),
    in_flight_swaps: following("swap", number("Number of these swaps.")),
  },
  enrich: withSwaps,
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** Swaps of senders that are not watched are not counted: what they ask for is not known. */
function withSwaps(facts: Facts, lookup: Lookup): Facts {
  // Until a sender has been read, nothing is known of what is in flight.
  if ((lookup.all("sender") ?? []).length === 0) return facts;
  const swaps = lookup.all("swap");
  const byAsset = swaps && activeByAsset(swaps);
  if (byAsset === undefined) return facts;
  const own = byAsset.get(facts["asset"]) ?? [];
  const inFlight = own.reduce((sum, swap) => sum + Number(swap["redeem_amount"]), 0);
  const sums = { in_flight: finite(inFlight), in_flight_swaps: own.length };
  return { ...facts, ...knownFacts<FactValue>(sums) };
}

/** The active swaps by the asset that they ask for; undefined if one of them is unsure. It serves all assets. */
const activeByAsset = madeOnce((swaps: readonly Facts[]) => {
  const active = swaps.filter((swap) => swap["active"] !== false);
  return active.some(isUnsure) ? undefined : Map.groupBy(active, (swap) => swap["redeem_asset"]);
});

function isUnsure(swap: Facts): boolean {
  return ["active", "redeem_asset", "redeem_amount"].some((name) => swap[name] === undefined);
}

/** One request for the balances of all brokers. */
export const brokersPoller = definePoller({
  name: "brokers",
  means: "Brokers' balances for atomic swaps.",
  kinds: [brokerKind, brokerAssetKind],
  defaultSchedule: undefined,
  defaultTimeoutMs: 15_000,
  plan: () => [{ name: "all", requests: [{ endpoint: "brokerBalances", args: {} }] }],
  read: (_surface, replies) => {
    const balances = replyOf(replies, "brokerBalances");
    const byBroker = Map.groupBy(balances, ({ broker }) => identifierKey(broker));
    const byAsset = Map.groupBy(balances, ({ asset }) => asset);
    return complete([
      ...[...byBroker].map(([address, own]) => brokerEntity(address, own)),
      ...[...byAsset].map(([asset, own]) => assetEntity(asset, own)),
    ]);
  },
});

function brokerEntity(address: string, balances: BrokerBalances): SeenEntity {
  const empty = balances.filter(({ amount }) => amount <= 0).length;
  return {
    kind: brokerKind.kind,
    id: address,
    facts: { address, assets: balances.length - empty, empty_assets: empty },
  };
}

function assetEntity(asset: string, balances: BrokerBalances): SeenEntity {
  const amounts = balances.map(({ amount }) => Math.max(0, amount));
  return {
    kind: brokerAssetKind.kind,
    id: asset,
    facts: knownFacts<FactValue>({
      asset,
      total: finite(amounts.reduce((sum, amount) => sum + amount, 0)),
      largest: amounts.reduce((most, amount) => Math.max(most, amount), 0),
      brokers: amounts.filter((amount) => amount > 0).length,
    }),
  };
}
