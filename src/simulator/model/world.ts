import type { Instant, Millis } from "../../domain/time.ts";
import type { RandomState } from "./random.ts";

/**
 * The aggregator in memory. It is plain data, so that it can be copied whole: a stale reply comes from a copy of an
 * earlier world.
 */
export type World = {
  now: Instant;
  readonly startedAt: Instant;
  readonly random: RandomState;
  /** Counts tasks and orders, so that ties in time have an order. */
  sequence: number;
  /** The scheduled tasks, soonest first. */
  readonly queue: Task[];
  /** This instance's own network: the target of all its swaps. */
  readonly network: string;
  readonly settings: WorldSettings;
  readonly exchanges: Map<string, Exchange>;
  readonly markets: Map<string, Market>;
  /** Key: `factory/pair`. */
  readonly pools: Map<string, Pool>;
  /** Key: the id in lower case. In the order of creation, like all maps here. */
  readonly orders: Map<string, Order>;
  /** Key: the secretHash in lower case. */
  readonly swaps: Map<string, Swap>;
  /** Locks that were seen on a source chain, but have no swap yet. Key as for swaps. */
  readonly sourceLocks: Map<string, SourceLock>;
  readonly brokers: Broker[];
  readonly senders: string[];
  /** Exchanges that are disabled again and again. Key: the name. */
  readonly flapping: Map<string, Flapping>;
};

type WorldSettings = {
  /** Whether other users' orders, trades and swaps occur by themselves. */
  readonly background: boolean;
  /** The answer to a toggle that changes nothing: 200, or 409. */
  readonly repeatedToggle: "ok" | "conflict";
  /** A lock order is refused until its lock has been seen on the source chain. */
  readonly needsSourceLock: boolean;
};

export type Task = {
  readonly at: Instant;
  readonly sequence: number;
  readonly kind:
    | "trade"
    | "market_order"
    | "order"
    | "order_expiry"
    | "new_swap"
    | "swap"
    | "swap_expiry"
    | "rebalance"
    | "flap"
    | "step";
  /** An order, a swap, a sender, an exchange, a broker and a network, or the index of a scenario's step. */
  readonly id: string;
  /** The change that scheduled it; if its order, swap or exchange has changed since, the task does nothing. */
  readonly change: number;
  readonly amount?: number;
};

export type Exchange = {
  readonly name: string;
  enabled: boolean;
  readonly pairs: ReadonlySet<string>;
  readonly disabledPairs: Set<string>;
};

/** An asset pair on the platform. Prices in units of the quote asset, volume in the base asset. */
export type Market = {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  /** The price to which trades return. */
  readonly anchor: number;
  price: number;
  volume: number;
  readonly futures: boolean;
  readonly pricePrecision: number;
};

/** A constant-product pool: a trade never lowers base × quote. */
export type Pool = {
  readonly factory: string;
  readonly pair: string;
  base: number;
  quote: number;
};

export const ORDER_STATUSES = [
  "NEW",
  "ROUTING",
  "ACCEPTED",
  "PARTIALLY_FILLED",
  "FILLED",
  "TX_PENDING",
  "SETTLED",
  "CANCELED",
  "REJECTED",
  "FAILED",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ORDER_TYPES = ["spot", "internal", "futures", "liquidation"] as const;
export type OrderType = (typeof ORDER_TYPES)[number];
export type Side = "BUY" | "SELL";

export type Order = {
  readonly id: string;
  readonly number: number;
  readonly type: OrderType;
  readonly owner: string;
  readonly pair: string;
  readonly side: Side;
  amount: number;
  readonly price: number;
  readonly exchanges: readonly string[];
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** About how long it stays in one status. */
  readonly paceMs: Millis;
  readonly signature: string | null;
  status: OrderStatus;
  updatedAt: Instant;
  filled: number;
  settled: number;
  /** The next statuses, in order. */
  route: OrderStatus[];
  /** It stays in its status until a command, a cancellation or its expiry. */
  stuck: boolean;
  change: number;
};

export type SwapPhase = "locked" | "delivered" | "settled" | "expired";

export type Swap = {
  readonly id: string;
  readonly secretHash: string;
  readonly sender: string;
  readonly sourceNetwork: string;
  /** Locked there, in the source network's native token. */
  readonly sourceAmount: number;
  /** Delivered here, in this network's native token. */
  readonly amount: number;
  readonly broker: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** Known from the start for swaps of the simulator's own senders, else from delivery on. */
  secret: string | null;
  phase: SwapPhase;
  stuck: boolean;
  change: number;
};

export type SourceLock = {
  readonly sender: string;
  readonly sourceNetwork: string;
  readonly amount: number;
  readonly expiresAt: Instant;
};

/** `balances`: the amount of each asset that the broker can deliver, without the amounts that swaps have reserved. */
export type Broker = { readonly address: string; readonly balances: Map<string, number> };

type Flapping = { readonly everyMs: Millis; left: number; readonly change: number };

/** Adds a task; the queue stays sorted by time, and by order of adding if times are equal. */
export function schedule(
  world: World,
  task: Omit<Task, "sequence" | "change"> & { readonly change?: number },
): void {
  world.sequence += 1;
  const added: Task = { change: 0, ...task, sequence: world.sequence };
  const before = world.queue.findLastIndex((other) => other.at <= added.at);
  world.queue.splice(before + 1, 0, added);
}

/** Removes the oldest that is over, if there are more than `most`. */
export function forgetOldest<Value>(
  all: Map<string, Value>,
  most: number,
  isOver: (one: Value) => boolean,
): void {
  if (all.size <= most) return;
  for (const [key, one] of all) if (isOver(one)) return void all.delete(key);
}

export function poolKey(factory: string, pair: string): string {
  return `${factory}/${pair}`;
}
