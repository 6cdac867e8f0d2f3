import { DAY, SECOND, type Instant, type Millis } from "../../domain/time.ts";
import { fractionOf } from "./hash.ts";
import { between, chance, nextRandom, pick, randomHex } from "./random.ts";
import {
  forgetOldest,
  schedule,
  type Exchange,
  type Order,
  type OrderStatus,
  type OrderType,
  type Side,
  type World,
} from "./world.ts";

/** The life cycle of orders. FILLED is not final: the trade's transaction follows. */

export const CANCELABLE: ReadonlySet<OrderStatus> = new Set([
  "NEW",
  "ACCEPTED",
  "ROUTING",
  "PARTIALLY_FILLED",
]);
export const FINAL: ReadonlySet<OrderStatus> = new Set([
  "SETTLED",
  "CANCELED",
  "REJECTED",
  "FAILED",
]);

const USUAL_ROUTE: readonly OrderStatus[] = [
  "NEW",
  "ACCEPTED",
  "PARTIALLY_FILLED",
  "FILLED",
  "TX_PENDING",
  "SETTLED",
];

/** The most orders to keep. Beyond that, the oldest final order is removed, but no liquidation order. */
const REMEMBERED_ORDERS = 2_000;
/** The lifetime of an order without an expiration (29 days, as in the public client). */
const ORDER_LIFE: Millis = 29 * DAY;

type NewOrder = {
  readonly id: string;
  readonly type: OrderType;
  readonly owner: string;
  readonly pair: string;
  readonly side: Side;
  readonly amount: number;
  readonly price: number;
  readonly exchanges: readonly string[];
  readonly expiresAt?: Instant | undefined;
  readonly paceMs: Millis;
  readonly signature?: string | undefined;
  readonly status?: OrderStatus | undefined;
  /** The next statuses, in order. Default: the usual ones. */
  readonly route?: readonly OrderStatus[] | undefined;
  readonly stuck?: boolean | undefined;
};

/** The statuses that follow a status if all goes well. */
function usualRoute(status: OrderStatus): OrderStatus[] {
  if (FINAL.has(status)) return [];
  return USUAL_ROUTE.slice(USUAL_ROUTE.indexOf(status === "ROUTING" ? "NEW" : status) + 1);
}

export function addOrder(world: World, given: NewOrder): Order {
  world.sequence += 1;
  const status = given.status ?? "NEW";
  const order: Order = {
    ...given,
    number: world.sequence,
    createdAt: world.now,
    expiresAt: given.expiresAt ?? world.now + ORDER_LIFE,
    updatedAt: world.now,
    signature: given.signature ?? null,
    status: "NEW",
    filled: 0,
    settled: 0,
    route: [...(given.route ?? usualRoute(status))],
    stuck: given.stuck ?? false,
    change: 0,
  };
  world.orders.set(order.id.toLowerCase(), order);
  changeStatus(world, order, status);
  scheduleNext(world, order);
  forgetOldest(
    world.orders,
    REMEMBERED_ORDERS,
    (one) => FINAL.has(one.status) && one.type !== "liquidation",
  );
  return order;
}

/** Sets an order's status, and the fills that follow from it. */
function changeStatus(world: World, order: Order, status: OrderStatus): void {
  order.status = status;
  order.updatedAt = world.now;
  order.change += 1;
  if (status === "PARTIALLY_FILLED" && order.filled === 0)
    order.filled = order.amount * (0.2 + 0.6 * fractionOf(order.id));
  if (status === "FILLED" || status === "TX_PENDING" || status === "SETTLED")
    order.filled = order.amount;
  if (status === "SETTLED") order.settled = order.amount;
}

/** Schedules the next status; or the expiry, if the order is stuck or at the end of its route. */
function scheduleNext(world: World, order: Order): void {
  if (FINAL.has(order.status)) return;
  const task = { id: order.id.toLowerCase(), change: order.change };
  if (order.stuck || order.route.length === 0) {
    const at = Math.max(order.expiresAt, world.now);
    return schedule(world, { ...task, at, kind: "order_expiry" });
  }
  const at = world.now + Math.round(order.paceMs * between(world.random, 0.5, 1.5));
  return schedule(world, { ...task, at, kind: "order" });
}

/** Moves an order to the next status of its route, unless the order has changed since this was scheduled. */
export function advanceOrder(world: World, id: string, change: number): void {
  const order = world.orders.get(id);
  if (order === undefined || order.change !== change || order.stuck) return;
  const next = order.route.shift();
  if (next === undefined) return;
  changeStatus(world, order, next);
  scheduleNext(world, order);
}

export function expireOrder(world: World, id: string, change: number): void {
  const order = world.orders.get(id);
  if (order?.change === change && CANCELABLE.has(order.status)) cancelOrder(world, order);
}

export function cancelOrder(world: World, order: Order): void {
  order.route = [];
  changeStatus(world, order, "CANCELED");
}

/** Sets an order's status from outside; from there it goes on as usual, unless it is stuck. */
export function setOrderStatus(world: World, order: Order, status: OrderStatus): void {
  changeStatus(world, order, status);
  order.route = usualRoute(status);
  scheduleNext(world, order);
}

export function setOrderStuck(world: World, order: Order, stuck: boolean): void {
  order.stuck = stuck;
  order.change += 1;
  if (order.route.length === 0) order.route = usualRoute(order.status);
  scheduleNext(world, order);
}

/** The exchanges on which a pair can be traded now. */
export function accessibleFor(world: World, pair: string): Exchange[] {
  return [...world.exchanges.values()].filter(
    (exchange) => exchange.enabled && exchange.pairs.has(pair) && !exchange.disabledPairs.has(pair),
  );
}

/** Adds another user's order. Most settle; a few are rejected, are canceled or fail. */
export function addMarketOrder(world: World): void {
  const random = world.random;
  const market = pick(random, [...world.markets.values()]);
  const owner = pick(random, world.senders) ?? randomHex(random, 40);
  const roll = nextRandom(random);
  const futures = chance(random, 0.15);
  if (market === undefined) return;
  const exchanges = accessibleFor(world, market.name).map((exchange) => exchange.name);
  if (exchanges.length === 0) return;
  addOrder(world, {
    id: randomHex(random, 64),
    type: futures && market.futures ? "futures" : chance(random, 0.1) ? "internal" : "spot",
    owner: chance(random, 0.3) ? owner : randomHex(random, 40),
    pair: market.name,
    side: chance(random, 0.5) ? "BUY" : "SELL",
    amount: Math.ceil((between(random, 20, 2_000) / market.price) * 1e4) / 1e4,
    price: Number((market.price * between(random, 0.99, 1.01)).toFixed(market.pricePrecision)),
    exchanges: exchanges.slice(0, 1 + Math.floor(nextRandom(random) * 2)),
    paceMs: 4 * SECOND,
    route: marketRoute(roll),
  });
}

function marketRoute(roll: number): readonly OrderStatus[] {
  if (roll < 0.04) return ["REJECTED"];
  if (roll < 0.1) return ["ACCEPTED", "CANCELED"];
  if (roll < 0.13) return ["ACCEPTED", "FILLED", "TX_PENDING", "FAILED"];
  if (roll < 0.3)
    return ["ROUTING", "ACCEPTED", "PARTIALLY_FILLED", "FILLED", "TX_PENDING", "SETTLED"];
  if (roll < 0.6) return ["ACCEPTED", "PARTIALLY_FILLED", "FILLED", "TX_PENDING", "SETTLED"];
  return ["ACCEPTED", "FILLED", "TX_PENDING", "SETTLED"];
}
