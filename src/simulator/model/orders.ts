import { DAY, SECOND, type Instant, type Millis } from "../../domain/time.ts";
import { fractionOf } from "./hash.ts";
import { between, chance, nextRandom, pick, randomHex } from "./random.ts";
import {
  schedule,
  type Exchange,
  type Order,
  type OrderStatus,
  type OrderType,
  type Side,
  type World,
} from "./world.ts";

/** The life cycle of orders. FILLED is not final: the trade's transaction is still to come. */

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

/** How many orders are remembered. Beyond, the oldest final one that is not a liquidation goes. */
const REMEMBERED_ORDERS = 2_000;
/** How long an order lives that does not say (the public client's 29 days). */
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
  /** The statuses that it is to go through; the usual ones if it is not given. */
  readonly route?: readonly OrderStatus[] | undefined;
  readonly stuck?: boolean | undefined;
};

/** What follows a status when all goes well. */
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
  forgetOldest(world);
  return order;
}

function forgetOldest(world: World): void {
  if (world.orders.size <= REMEMBERED_ORDERS) return;
  for (const [key, order] of world.orders) {
    if (!FINAL.has(order.status) || order.type === "liquidation") continue;
    world.orders.delete(key);
    return;
  }
}

/** Puts an order into a status, with the fills that this status means. */
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

/** Plans what comes next. Only an order that rests lives long enough to expire. */
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

/** The next status of an order's route; void if the order has changed since it was planned. */
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

/** Puts an order into a status from outside; from there it goes on as usual, unless it is stuck. */
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

/** The exchanges where a pair can be traded just now. */
export function accessibleFor(world: World, pair: string): Exchange[] {
  return [...world.exchanges.values()].filter(
    (exchange) => exchange.enabled && exchange.pairs.has(pair) && !exchange.disabledPairs.has(pair),
  );
}

/** Other people's orders: most settle, and a few end in the other ways that orders end. */
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
