import * as z from "zod";
import { DAY, MINUTE, SECOND } from "../../domain/time.ts";
import { answer, refuse, type Answer } from "./answer.ts";
import { findAsset } from "../model/assets.ts";
import { digest } from "../model/hash.ts";
import { hash, senderAddress } from "../model/world-plan.ts";
import { brokerRequests } from "./order-view.ts";
import { accessibleFor, addOrder } from "../model/orders.ts";
import { readBody } from "./request.ts";
import type { RouteContext } from "./routes.ts";
import type { Market, OrderStatus, OrderType, World } from "../model/world.ts";

/**
 * Placing an order (public SDK, types.ts and signOrder.ts). The signature is not checked: the simulator has no chain.
 * Amounts and prices are whole numbers, in units of 1e-8.
 */
const fixedPoint = z.number().int().nonnegative();
const asset = z.string().min(1).max(64);

const placementBody = z.object({
  id: hash.optional(),
  senderAddress,
  baseAsset: asset,
  quoteAsset: asset,
  amount: fixedPoint.positive(),
  price: fixedPoint.positive(),
  buySide: z.union([z.literal(0), z.literal(1)]),
  nonce: z.number().int().nonnegative().optional(),
  expiration: z.number().int().positive().optional(),
  signature: z.string().max(1_000).optional(),
  rawExchangeRestrictions: z.string().max(1_000).optional(),
});
type Placement = z.output<typeof placementBody>;

/** An order whose price is worse than the market's by more than this share rests until it is cancelled. */
const RESTS_BEYOND = 0.1;

function findMarket(world: World, placed: Placement): Market | undefined {
  const markets = [...world.markets.values()];
  const base = findAsset(
    placed.baseAsset,
    markets.map((market) => market.base),
  );
  const quote = findAsset(
    placed.quoteAsset,
    markets.map((market) => market.quote),
  );
  return world.markets.get(`${base}-${quote}`);
}

function expirationProblem(world: World, expiration: number | undefined): string | undefined {
  if (expiration === undefined) return undefined;
  if (expiration < world.now + MINUTE) return "expiration must be more than one minute ahead.";
  if (expiration > world.now + 31 * DAY) return "expiration must be less than one month ahead.";
  return undefined;
}

function routeFor(placed: Placement, market: Market): readonly OrderStatus[] | undefined {
  const off = placed.price / 1e8 / market.price - 1;
  const worse = placed.buySide === 1 ? -off : off;
  return worse > RESTS_BEYOND ? ["ACCEPTED"] : undefined;
}

/** Answers a placement. Only the effect adds the order to the world. */
export function placeOrder(context: RouteContext, type: OrderType): Answer {
  const { world, request } = context;
  const body = readBody(request, placementBody);
  if (!body.ok) return body.problem;
  const placed = body.value;
  const market = findMarket(world, placed);
  if (market === undefined || (type === "futures" && !market.futures))
    return refuse(400, "pair_not_found", "There is no such pair of baseAsset and quoteAsset.");
  const problem = expirationProblem(world, placed.expiration);
  if (problem !== undefined) return refuse(400, "order_refused", problem);
  const id = placed.id ?? digest(`order ${type} ${request.body}`);
  if (world.orders.has(id.toLowerCase()))
    return refuse(409, "order_exists", "An order with this id exists already.");
  const exchanges = accessibleFor(world, market.name).map((exchange) => exchange.name);
  if (exchanges.length === 0)
    return refuse(409, "order_refused", `No accessible exchange trades ${market.name} just now.`);
  const amount = placed.amount / 1e8;
  const used = exchanges.slice(0, 1);
  return answer({ orderId: id, placementRequests: brokerRequests(used, amount) }, () => {
    addOrder(world, {
      id,
      type,
      owner: placed.senderAddress,
      pair: market.name,
      side: placed.buySide === 1 ? "BUY" : "SELL",
      amount,
      price: placed.price / 1e8,
      exchanges: used,
      expiresAt: placed.expiration,
      paceMs: 3 * SECOND,
      signature: placed.signature,
      route: routeFor(placed, market),
    });
  });
}
