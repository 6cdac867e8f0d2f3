import type { Instant, Millis } from "../../domain/time.ts";
import type { RandomState } from "./random.ts";

/**
 * The aggregator in memory. Plain data throughout, so that it can be copied whole: a stale reply is
 * read from a copy of an earlier world.
 */
export type World = {
  now: Instant;
  readonly startedAt: Instant;
  readonly random: RandomState;
  /** Counts tasks and orders, so that ties in time have an order. */
  sequence: number;
  /** What will happen by itself, soonest first. */
  readonly queue: Task[];
  /** This instance's own network: the target of all its swaps. */
  readonly network: string;
  readonly settings: WorldSettings;
  readonly exchanges: Map<string, Exchange>;
  readonly markets: Map<string, Market>;
  /** Key: `factory/pair`. */
  readonly pools: Map<string, Pool>;
  /** Key: the id in lower case. In the order of their creation, as all maps here. */
  readonly orders: Map<string, Order>;
  /** Key: the secretHash in lower case. */
  readonly swaps: Map<string, Swap>;
  /** Locks that were seen on a source chain and not submitted yet. Key as for swaps. */
  readonly sourceLocks: Map<string, SourceLock>;
  readonly brokers: Broker[];
  readonly senders: string[];
  /** Exchanges that go disabled again and again. */
  readonly flapping: Map<string, Flapping>;
};

type WorldSettings = {
  /** Orders, trades and swaps come by themselves. */
  readonly background: boolean;
  /** What a toggle answers if the thing is already so: 200 without effect, or 409. */
  readonly repeatedToggle: "ok" | "conflict";
  /** A lock order is refused until its lock was seen on the source chain. */
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
  /** The order, swap, sender or exchange that it is about; the index of a scenario's step. */
  readonly id: string;
  /** Only the task of the thing's latest change counts; earlier ones are void. */
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
  /** The price that trades are drawn back to. */
  readonly anchor: number;
  price: number;
  volume: number;
  readonly futures: boolean;
  readonly pricePrecision: number;
};

/** A constant-product pool: base × quote never falls by trading. */
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
  /** How long it stays in one status, about. */
  readonly paceMs: Millis;
  readonly signature: string | null;
  status: OrderStatus;
  updatedAt: Instant;
  filled: number;
  settled: number;
  /** The statuses that it is still to go through. */
  route: OrderStatus[];
  /** It stays in its status until something is done to it. */
  stuck: boolean;
  change: number;
};

export type SwapPhase = "locked" | "delivered" | "settled" | "expired";

export type Swap = {
  readonly id: string;
  readonly secretHash: string;
  readonly sender: string;
  readonly sourceNetwork: string;
  /** Of the source network's native token: what is locked there. */
  readonly sourceAmount: number;
  /** Of this network's native token: what is delivered here. */
  readonly amount: number;
  readonly broker: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** Known from the start for swaps of the simulator's own senders, else from its redemption. */
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

/** `balances` holds what is tradable: what swaps have reserved is already taken off. */
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

export function poolKey(factory: string, pair: string): string {
  return `${factory}/${pair}`;
}
