import type { PairConfig } from "../aggregator/endpoints/markets.ts";
import type { FactValue, KindDefinition, SeenEntity } from "../domain/entity.ts";
import { flag, from, number, text, words } from "./fact-types.ts";
import {
  complete,
  definePoller,
  firstOfEach,
  knownFacts,
  mismatched,
  replyOf,
  type EndpointRequest,
  type Surface,
  type WatchList,
} from "./poller.ts";

const marketKind = {
  kind: "market",
  means: "An asset pair of the platform, as listed by pairs/list, with its market.",
  facts: {
    pair: text("The pair, e.g. ORN-USDT."),
    status: words(["listed", "missing"], "`missing` if it was in the list before, but is not now."),
    listed: flag("Whether it is in the list of pairs."),
    price: from("price", number("The current price, in units of the quote asset.")),
    volume: from("volume", number("The volume, as the aggregator gives it.")),
  },
  whenAbsent: { status: "missing", listed: false },
} as const satisfies KindDefinition;

const marketConfigKind = {
  kind: "market_config",
  means: "The settings of an asset pair, on one exchange or across all of them.",
  facts: {
    name: text(
      "The pair, with the exchange if the settings are of one: ORN-USDT or ORN-USDT@BINANCE.",
    ),
    pair: text("The pair, e.g. ORN-USDT."),
    exchange: text("The exchange's name; empty if the settings are for all exchanges."),
    status: text(
      "All settings as one text, so that `since` is when one of them was last seen to change.",
    ),
    min_quantity: from("minQty", number("The least quantity, in units of the base asset.")),
    max_quantity: from("maxQty", number("The largest quantity, in units of the base asset.")),
    min_price: from("minPrice", number("The lowest price, in units of the quote asset.")),
    max_price: from("maxPrice", number("The highest price, in units of the quote asset.")),
    price_precision: from("pricePrecision", number("Number of digits of a price.")),
    quantity_precision: from("qtyPrecision", number("Number of digits of a quantity.")),
  },
  whenAbsent: "gone",
  surfaces: (id) =>
    id.includes("@")
      ? [`settings/${id}`, `settings/${id.slice(id.indexOf("@"))}`]
      : [`settings/${id}`, "settings"],
} as const satisfies KindDefinition;

/** The list with its markets, and the settings of all pairs or of those that are watched. */
export const marketsPoller = definePoller({
  name: "markets",
  means: "Asset pairs, their prices and volumes, and their settings.",
  kinds: [marketKind, marketConfigKind],
  defaultSchedule: undefined,
  defaultTimeoutMs: 20_000,
  plan: ({ markets }) => [
    {
      name: "list",
      requests: [
        { endpoint: "pairs", args: {} },
        { endpoint: "pairsDetailed", args: {} },
      ],
    },
    ...(markets.length === 0 ? [ALL_SETTINGS] : firstOfEach(markets, nameOf).map(settingsSurface)),
  ],
  read: (surface, replies) => {
    if (surface.name === "list") {
      const detailed = new Map(replyOf(replies, "pairsDetailed").map((one) => [one.name, one]));
      const pairs = replyOf(replies, "pairs");
      return complete(pairs.map((pair) => marketEntity(pair, detailed.get(pair))));
    }
    const [ask = ALL_SETTINGS_ASK] = surface.requests;
    const { endpoint, args } = ask;
    const { pair, exchange } = args;
    if (endpoint === "exchangeInfo")
      return complete(
        replyOf(replies, "exchangeInfo").map((config) => configEntity(config, exchange)),
      );
    const which = endpoint === "pairOnExchange" ? "pairOnExchange" : "pairInfo";
    const config = replyOf(replies, which);
    if (config.name !== pair)
      return mismatched(which, `$.name: expected the pair asked for (${pair})`);
    return complete([configEntity(config, exchange)]);
  },
});

const ALL_SETTINGS_ASK: EndpointRequest = { endpoint: "exchangeInfo", args: {} };
const ALL_SETTINGS: Surface = { name: "settings", requests: [ALL_SETTINGS_ASK] };

type WatchedMarket = WatchList["markets"][number];

function nameOf({ pair = "", exchange = "" }: WatchedMarket): string {
  return exchange === "" ? pair : `${pair}@${exchange}`;
}

/** The three forms of the interface: an exchange's pairs, a pair over all exchanges, a pair on one. */
function settingsSurface(market: WatchedMarket): Surface {
  const { pair, exchange } = market;
  const name = `settings/${nameOf(market)}`;
  if (pair === undefined)
    return { name, requests: [{ endpoint: "exchangeInfo", args: exchange ? { exchange } : {} }] };
  if (exchange === undefined) return { name, requests: [{ endpoint: "pairInfo", args: { pair } }] };
  return { name, requests: [{ endpoint: "pairOnExchange", args: { pair, exchange } }] };
}

function marketEntity(
  pair: string,
  market: { readonly price?: number | undefined; readonly volume?: number | undefined } = {},
): SeenEntity {
  const { price, volume } = market;
  return {
    kind: marketKind.kind,
    id: pair,
    facts: knownFacts<FactValue>({ pair, status: "listed", listed: true, price, volume }),
  };
}

/** A pair that has an `@` in its own name is not a pair of an exchange. */
function idOf(pair: string, exchange: string): string {
  return nameOf({ pair: pair.replaceAll(/[%@]/g, encodeURIComponent), exchange });
}

function configEntity(config: PairConfig, exchange = ""): SeenEntity {
  const { name: pair, minQty, maxQty, minPrice, maxPrice, pricePrecision, qtyPrecision } = config;
  const settings = {
    min_quantity: minQty,
    max_quantity: maxQty,
    min_price: minPrice,
    max_price: maxPrice,
    price_precision: pricePrecision,
    quantity_precision: qtyPrecision,
  };
  const status = Object.entries(knownFacts(settings))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(" ");
  return {
    kind: marketConfigKind.kind,
    id: idOf(pair, exchange),
    facts: knownFacts<FactValue>({
      name: nameOf({ pair, exchange }),
      pair,
      exchange,
      status,
      ...settings,
    }),
  };
}
