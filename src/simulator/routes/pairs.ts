import * as z from "zod";
import type { Json } from "../../domain/result.ts";
import { answer, refuse, type Answer } from "./answer.ts";
import { withExchange, withTradedPair } from "./exchanges.ts";
import { read, withQuery, type Route } from "./routes.ts";
import type { Market, World } from "../model/world.ts";

/** The pairs area. The public SDK sends `market=SPOT`; older clients send nothing. */

const pairsQuery = z.object({
  market: z.enum(["SPOT", "FUTURES"]).default("SPOT"),
  exchange: z.string().optional(),
});

/** A pair's limits (public SDK, pairConfigSchema). */
function pairConfig(market: Market): Json {
  return {
    name: market.name,
    minQty: Number((5 / market.anchor).toPrecision(1)),
    maxQty: Number((5_000_000 / market.anchor).toPrecision(1)),
    minPrice: 10 ** -market.pricePrecision,
    maxPrice: Number((market.anchor * 100).toPrecision(1)),
    pricePrecision: market.pricePrecision,
    qtyPrecision: market.anchor >= 100 ? 4 : 2,
  };
}

function detailed(market: Market): Json {
  const spread = 10 ** -market.pricePrecision;
  return {
    name: market.name,
    price: market.price,
    volume: market.volume,
    change24h: Number((market.price / market.anchor - 1).toFixed(6)),
    bid: Number((market.price - spread).toFixed(8)),
    ask: Number((market.price + spread).toFixed(8)),
  };
}

function marketsOf(world: World, kind: "SPOT" | "FUTURES"): Market[] {
  return [...world.markets.values()].filter((market) => kind === "SPOT" || market.futures);
}

function list(view: (market: Market) => Json): Route["handle"] {
  return withQuery(pairsQuery, ({ market }, { world }) =>
    answer(marketsOf(world, market).map(view)),
  );
}

function withMarket(world: World, pair: string, then: (market: Market) => Answer): Answer {
  const market = world.markets.get(pair);
  return market === undefined
    ? refuse(404, "pair_not_found", `There is no pair ${pair}.`)
    : then(market);
}

const exchangeInfo = withQuery(pairsQuery, ({ market, exchange: name }, { world }) => {
  const markets = marketsOf(world, market);
  if (name === undefined) return answer(markets.map(pairConfig));
  return withExchange(world, name, ({ pairs }) =>
    answer(markets.filter((one) => pairs.has(one.name)).map(pairConfig)),
  );
});

const pairInfo: Route["handle"] = ({ world, args: [pair = ""] }) =>
  withMarket(world, pair, (market) => answer(pairConfig(market)));

const pairOnExchange: Route["handle"] = ({ world, args: [pair = "", name = ""] }) =>
  withMarket(world, pair, (market) =>
    withTradedPair(world, name, pair, () => answer(pairConfig(market))),
  );

const LIST = "/api/v1/pairs/list";
const INFO = "/api/v1/pairs/exchangeInfo";

export const pairRoutes: readonly Route[] = [
  read(
    "pairs",
    "GET",
    LIST,
    [],
    list(({ name }) => name),
  ),
  read("pairsDetailed", "GET", `${LIST}/detailed`, [], list(detailed)),
  read("exchangeInfo", "GET", INFO, [], exchangeInfo),
  read("pairInfo", "GET", `${INFO}/{pair}`, {}, pairInfo),
  read("pairOnExchange", "GET", `${INFO}/{pair}/{exchange}`, {}, pairOnExchange),
];
