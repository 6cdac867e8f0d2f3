import * as z from "zod";
import { answer, refuse, type Answer } from "./answer.ts";
import { round } from "../model/amounts.ts";
import { findAsset } from "../model/assets.ts";
import { placeOrder } from "./order-placement.ts";
import { brokerRequests, orderView } from "./order-view.ts";
import { CANCELABLE, cancelOrder } from "../model/orders.ts";
import { read, withBody, withQuery, write, type Route } from "./routes.ts";
import { ORDER_STATUSES, type Order, type OrderType, type World } from "../model/world.ts";

/** The order area. Internal orders count as spot orders; futures and liquidation orders do not. */

const SPOT: readonly OrderType[] = ["spot", "internal"];
const FUTURES: readonly OrderType[] = ["futures"];
const LIQUIDATION: readonly OrderType[] = ["liquidation"];
/** The interface's limit for listings by status. */
const LISTED_AT_ONCE = 20;

const required = z.string("is required").min(1, "is required");
const liquidationQuery = z.object({ orderId: required });
const orderQuery = z.object({ orderId: required, owner: required });
const statusFilter = z.object({ status: z.enum(ORDER_STATUSES) });
const cancelBody = z.object({
  id: required,
  sender: z.string().optional(),
  senderAddress: z.string().optional(),
});
const time = z.number().nonnegative().optional();
const criteria = z.object({
  address: required,
  baseAsset: z.string().optional(),
  quoteAsset: z.string().optional(),
  startTime: time,
  endTime: time,
  limit: z.number().int().positive().default(1_000),
});

const notFound = (): Answer => refuse(404, "order_not_found", "Order not found");

/** An order is identified by its id and owner; if the owner is undefined, by its id alone. */
function findOrder(
  world: World,
  types: readonly OrderType[],
  id: string,
  owner: string | undefined,
): Order | undefined {
  const order = world.orders.get(id.toLowerCase());
  if (order === undefined || !types.includes(order.type)) return undefined;
  const theirs = owner !== undefined && owner.toLowerCase() !== order.owner.toLowerCase();
  return theirs ? undefined : order;
}

function shown(order: Order | undefined): Answer {
  return order === undefined ? notFound() : answer({ orderId: order.id, order: orderView(order) });
}

/** The interface identifies a liquidation order by its id alone. */
const lookUpLiquidation = withQuery(liquidationQuery, ({ orderId }, { world }) =>
  shown(findOrder(world, LIQUIDATION, orderId, undefined)),
);

function lookUp(types: readonly OrderType[]): Route["handle"] {
  return withQuery(orderQuery, ({ orderId, owner }, { world }) =>
    shown(findOrder(world, types, orderId, owner)),
  );
}

function cancel(world: World, order: Order): Answer {
  if (!CANCELABLE.has(order.status))
    return refuse(409, "order_not_cancelable", `A ${order.status} order cannot be cancelled.`);
  const remaining = round(order.amount - order.filled);
  const cancellationRequests = brokerRequests(order.exchanges, remaining);
  return answer({ orderId: order.id, cancellationRequests, remainingAmount: remaining }, () =>
    cancelOrder(world, order),
  );
}

const cancelOwn = withBody(cancelBody, ({ id, sender, senderAddress }, { world }) => {
  const owner = senderAddress ?? sender;
  if (owner === undefined)
    return refuse(400, "malformed", "body.senderAddress: is required (the order's owner)");
  const order = findOrder(world, SPOT, id, owner);
  return order === undefined ? notFound() : cancel(world, order);
});

const forceCancel: Route["handle"] = ({ world, args: [id = ""] }) => {
  const order = world.orders.get(id.toLowerCase());
  return order === undefined ? notFound() : cancel(world, order);
};

function ordersOf(world: World, types: readonly OrderType[]): Order[] {
  return [...world.orders.values()].filter((order) => types.includes(order.type)).reverse();
}

function byStatus(types: readonly OrderType[], reading: typeof withQuery): Route["handle"] {
  return reading(statusFilter, ({ status }, { world }) => {
    const found = ordersOf(world, types).filter((one) => one.status === status);
    return answer(found.slice(0, LISTED_AT_ONCE).map(orderView));
  });
}

function history(types: readonly OrderType[]): Route["handle"] {
  return withBody(criteria, (wanted, { world }) => {
    const { address, startTime = 0, endTime = Infinity, limit } = wanted;
    const base = tickerOf(world, wanted.baseAsset);
    const quote = tickerOf(world, wanted.quoteAsset);
    const found = ordersOf(world, types).filter((order) => {
      const [orderBase, orderQuote] = order.pair.split("-");
      return (
        order.owner.toLowerCase() === address.toLowerCase() &&
        (base === undefined || base === orderBase) &&
        (quote === undefined || quote === orderQuote) &&
        order.createdAt >= startTime &&
        order.createdAt <= endTime
      );
    });
    return answer(found.slice(0, limit).map(orderView));
  });
}

/** The ticker of an asset. For an unknown asset it is empty, which matches no order. */
function tickerOf(world: World, asset: string | undefined): string | undefined {
  if (asset === undefined) return undefined;
  const tickers = [...world.markets.values()].flatMap((market) => [market.base, market.quote]);
  return findAsset(asset, tickers) ?? "";
}

const ORDER = "/api/v1/order";
const FUTURE = `${ORDER}/futures`;
const place =
  (type: OrderType): Route["handle"] =>
  (context) =>
    placeOrder(context, type);

export const orderRoutes: readonly Route[] = [
  read("order", "GET", ORDER, {}, lookUp(SPOT)),
  // The public SDK posts with a trailing slash, older clients without.
  write("placeOrder", "POST", [ORDER, `${ORDER}/`], "user", place("spot")),
  write("cancelOrder", "DELETE", ORDER, "user", cancelOwn),
  write("placeInternalOrder", "POST", `${ORDER}/internal`, "user", place("internal")),
  read("futuresOrder", "GET", FUTURE, {}, lookUp(FUTURES)),
  write("placeFuturesOrder", "POST", FUTURE, "user", place("futures")),
  read("ordersByStatus", "GET", `${ORDER}/status`, [], byStatus(SPOT, withQuery)),
  read("liquidation", "GET", `${ORDER}/liquidation`, {}, lookUpLiquidation),
  read("orderHistory", "POST", `${ORDER}/history`, [], history(SPOT)),
  read("futuresByStatus", "POST", `${FUTURE}/status`, [], byStatus(FUTURES, withBody)),
  read("futuresHistory", "POST", `${FUTURE}/history`, [], history(FUTURES)),
  write("forceCancel", "DELETE", `${ORDER}/force/{orderId}`, "force", forceCancel),
];
