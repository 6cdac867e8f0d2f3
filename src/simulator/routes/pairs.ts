import * as z from "zod";
import type { Json } from "../../domain/result.ts";
import { answer, refuse } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { readQuery } from "./request.ts";
import type { Route } from "./routes.ts";
import type { Market, World } from "../model/world.ts";

/** The pairs area. `market=SPOT` is what the public SDK sends; older clients send nothing. */

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
  return ({ world, request }) => {
    const query = readQuery(request, pairsQuery);
    return query.ok ? answer(marketsOf(world, query.value.market).map(view)) : query.problem;
  };
}

function withMarket(world: World, pair: string, then: (market: Market) => Answer): Answer {
  const market = world.markets.get(pair);
  return market === undefined
    ? refuse(404, "pair_not_found", `There is no pair ${pair}.`)
    : then(market);
}

const exchangeInfo: Route["handle"] = ({ world, request }) => {
  const query = readQuery(request, pairsQuery);
  if (!query.ok) return query.problem;
  const { market, exchange: name } = query.value;
  const exchange = name === undefined ? undefined : world.exchanges.get(name);
  if (name !== undefined && exchange === undefined)
    return refuse(404, "exchange_not_found", `There is no exchange ${name}.`);
  const markets = marketsOf(world, market);
  return answer(
    markets.filter((one) => exchange === undefined || exchange.pairs.has(one.name)).map(pairConfig),
  );
};

const pairOnExchange: Route["handle"] = ({ world, args: [pair = "", name = ""] }) =>
  withMarket(world, pair, (market) => {
    const exchange = world.exchanges.get(name);
    if (exchange === undefined)
      return refuse(404, "exchange_not_found", `There is no exchange ${name}.`);
    return exchange.pairs.has(pair)
      ? answer(pairConfig(market))
      : refuse(404, "pair_not_found", `${name} does not trade the pair ${pair}.`);
  });

const INFO = "/api/v1/pairs/exchangeInfo";

export const pairRoutes: readonly Route[] = [
  {
    name: "pairs",
    method: "GET",
    paths: ["/api/v1/pairs/list"],
    empty: [],
    handle: list(({ name }) => name),
  },
  {
    name: "pairsDetailed",
    method: "GET",
    paths: ["/api/v1/pairs/list/detailed"],
    empty: [],
    handle: list(detailed),
  },
  { name: "exchangeInfo", method: "GET", paths: [INFO], empty: [], handle: exchangeInfo },
  {
    name: "pairInfo",
    method: "GET",
    paths: [`${INFO}/{pair}`],
    empty: {},
    handle: ({ world, args: [pair = ""] }) =>
      withMarket(world, pair, (market) => answer(pairConfig(market))),
  },
  {
    name: "pairOnExchange",
    method: "GET",
    paths: [`${INFO}/{pair}/{exchange}`],
    empty: {},
    handle: pairOnExchange,
  },
];
