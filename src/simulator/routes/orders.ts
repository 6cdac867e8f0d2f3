import * as z from "zod";
import { answer, refuse, round } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { findAsset } from "../model/assets.ts";
import { placeOrder } from "./order-placement.ts";
import { brokerRequests, orderView } from "./order-view.ts";
import { CANCELABLE, cancelOrder } from "../model/orders.ts";
import { readBody, readQuery } from "./request.ts";
import type { SimulatorRequest } from "./request.ts";
import type { Route } from "./routes.ts";
import { ORDER_STATUSES } from "../model/world.ts";
import type { Order, OrderType, World } from "../model/world.ts";

/** The order area. Internal orders are spot orders; futures and liquidations are apart. */

const SPOT: readonly OrderType[] = ["spot", "internal"];
const FUTURES: readonly OrderType[] = ["futures"];
const LIQUIDATION: readonly OrderType[] = ["liquidation"];
/** The interface's limit of the listings by status. */
const LISTED_AT_ONCE = 20;

const required = z.string("is required").min(1, "is required");
const idQuery = z.object({ orderId: required, owner: z.string().optional() });
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

/** An order is addressed by its id together with its owner; somebody else's is not found. */
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

function lookUp(types: readonly OrderType[]): Route["handle"] {
  return ({ world, request }) => {
    const query = readQuery(request, idQuery);
    if (!query.ok) return query.problem;
    const order = findOrder(world, types, query.value.orderId, query.value.owner);
    return order === undefined
      ? notFound()
      : answer({ orderId: order.id, order: orderView(order) });
  };
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

const cancelOwn: Route["handle"] = ({ world, request }) => {
  const body = readBody(request, cancelBody);
  if (!body.ok) return body.problem;
  const owner = body.value.senderAddress ?? body.value.sender;
  if (owner === undefined)
    return refuse(400, "malformed", "body.senderAddress: is required (the order's owner)");
  const order = findOrder(world, SPOT, body.value.id, owner);
  return order === undefined ? notFound() : cancel(world, order);
};

const forceCancel: Route["handle"] = ({ world, args: [id = ""] }) => {
  const order = world.orders.get(id.toLowerCase());
  return order === undefined ? notFound() : cancel(world, order);
};

function ordersOf(world: World, types: readonly OrderType[]): Order[] {
  return [...world.orders.values()].filter((order) => types.includes(order.type)).reverse();
}

function byStatus(
  types: readonly OrderType[],
  read: typeof readBody | typeof readQuery,
): Route["handle"] {
  return ({ world, request }) => {
    const filter = read(request, statusFilter);
    if (!filter.ok) return filter.problem;
    const found = ordersOf(world, types).filter((one) => one.status === filter.value.status);
    return answer(found.slice(0, LISTED_AT_ONCE).map(orderView));
  };
}

function history(types: readonly OrderType[]): Route["handle"] {
  return ({ world, request }) => {
    const wanted = readCriteria(world, request);
    if (!wanted.ok) return wanted.problem;
    const { address, base, quote, startTime, endTime, limit } = wanted.value;
    const found = ordersOf(world, types).filter((order) => {
      const [orderBase, orderQuote] = order.pair.split("-");
      return (
        order.owner.toLowerCase() === address.toLowerCase() &&
        (base === undefined || base === orderBase) &&
        (quote === undefined || quote === orderQuote) &&
        order.createdAt >= (startTime ?? 0) &&
        order.createdAt <= (endTime ?? Number.POSITIVE_INFINITY)
      );
    });
    return answer(found.slice(0, limit).map(orderView));
  };
}

function readCriteria(world: World, request: SimulatorRequest) {
  const body = readBody(request, criteria);
  if (!body.ok) return body;
  const tickers = [...world.markets.values()].flatMap((market) => [market.base, market.quote]);
  // An asset that is not known matches no order, by a name that none has.
  const ticker = (named: string | undefined): string | undefined =>
    named === undefined ? undefined : (findAsset(named, tickers) ?? "");
  const { baseAsset, quoteAsset, ...rest } = body.value;
  const value = { ...rest, base: ticker(baseAsset), quote: ticker(quoteAsset) };
  return { ok: true, value } as const;
}

const ORDER = "/api/v1/order";

export const orderRoutes: readonly Route[] = [
  { name: "order", method: "GET", paths: [ORDER], empty: {}, handle: lookUp(SPOT) },
  {
    name: "placeOrder",
    method: "POST",
    // The public SDK posts with a trailing slash, older clients without.
    paths: [ORDER, `${ORDER}/`],
    writes: "user",
    handle: (context) => placeOrder(context, "spot"),
  },
  { name: "cancelOrder", method: "DELETE", paths: [ORDER], writes: "user", handle: cancelOwn },
  {
    name: "placeInternalOrder",
    method: "POST",
    paths: [`${ORDER}/internal`],
    writes: "user",
    handle: (context) => placeOrder(context, "internal"),
  },
  {
    name: "futuresOrder",
    method: "GET",
    paths: [`${ORDER}/futures`],
    empty: {},
    handle: lookUp(FUTURES),
  },
  {
    name: "placeFuturesOrder",
    method: "POST",
    paths: [`${ORDER}/futures`],
    writes: "user",
    handle: (context) => placeOrder(context, "futures"),
  },
  {
    name: "ordersByStatus",
    method: "GET",
    paths: [`${ORDER}/status`],
    empty: [],
    handle: byStatus(SPOT, readQuery),
  },
  {
    name: "liquidation",
    method: "GET",
    paths: [`${ORDER}/liquidation`],
    empty: {},
    handle: lookUp(LIQUIDATION),
  },
  {
    name: "orderHistory",
    method: "POST",
    paths: [`${ORDER}/history`],
    empty: [],
    handle: history(SPOT),
  },
  {
    name: "futuresByStatus",
    method: "POST",
    paths: [`${ORDER}/futures/status`],
    empty: [],
    handle: byStatus(FUTURES, readBody),
  },
  {
    name: "futuresHistory",
    method: "POST",
    paths: [`${ORDER}/futures/history`],
    empty: [],
    handle: history(FUTURES),
  },
  {
    name: "forceCancel",
    method: "DELETE",
    paths: [`${ORDER}/force/{orderId}`],
    writes: "force",
    handle: forceCancel,
  },
];
