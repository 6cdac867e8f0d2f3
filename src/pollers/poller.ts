import type { Decoded, Reply } from "../aggregator/endpoints/index.ts";
import type { ReadEndpoint } from "../aggregator/endpoints/index.ts";
import type { KindDefinition, SeenEntity } from "../domain/entity.ts";
import type { SurfaceReading } from "../domain/observation.ts";

export const ORDER_MARKETS = ["spot", "futures"] as const;
export type OrderMarket = (typeof ORDER_MARKETS)[number];

/** What to look at. It may change at run time; an entry that is removed ends its entities. */
export type WatchList = {
  readonly senders: ReadonlyArray<{
    readonly address: string;
    readonly alias?: string | undefined;
  }>;
  readonly liquidations: ReadonlyArray<{
    readonly id: string;
    readonly alias?: string | undefined;
  }>;
  readonly orders: ReadonlyArray<{
    readonly market: OrderMarket;
    readonly id: string;
    /** The owner's address: the interface addresses an order by both. */
    readonly owner?: string | undefined;
    readonly alias?: string | undefined;
  }>;
  /** Orders with one of these statuses are listed. */
  readonly orderStatuses: Readonly<Record<OrderMarket, readonly string[]>>;
  /** None: all pools, by one request. */
  readonly pools: ReadonlyArray<{ readonly factory: string; readonly pair: string }>;
  /** Whose settings are read: a pair, an exchange, or a pair on an exchange. None: all pairs. */
  readonly markets: ReadonlyArray<{
    readonly pair?: string | undefined;
    readonly exchange?: string | undefined;
  }>;
  /** How many of each sender's newest swaps its history is asked for. */
  readonly historyLimit: number;
  /** The trade that pools' estimations are asked for. */
  readonly estimation: { readonly amount: number; readonly side: "BUY" | "SELL" };
};

/** What is watched where nothing is configured. */
export const NOTHING_WATCHED: WatchList = {
  senders: [],
  liquidations: [],
  orders: [],
  orderStatuses: { spot: [], futures: [] },
  pools: [],
  markets: [],
  historyLimit: 10,
  estimation: { amount: 1, side: "SELL" },
};

/** Which status words of orders mean what. A word in none of them says nothing sure. */
export type Statuses = {
  readonly open: readonly string[];
  readonly cancelable: readonly string[];
  readonly final: readonly string[];
};

/** FILLED is not final: it goes on to TX_PENDING, and then to SETTLED or FAILED. */
export const DEFAULT_STATUSES: Statuses = {
  open: ["NEW", "ACCEPTED", "ROUTING", "PARTIALLY_FILLED", "FILLED", "TX_PENDING"],
  cancelable: ["NEW", "ACCEPTED", "ROUTING", "PARTIALLY_FILLED"],
  final: ["SETTLED", "CANCELED", "REJECTED", "FAILED"],
};

export type Ask = {
  readonly endpoint: ReadEndpoint;
  readonly args: Readonly<Record<string, string>>;
};

/** What one answer lists, and the questions whose answers together are that answer. */
export type Surface = { readonly name: string; readonly asks: readonly Ask[] };

export type ReadContext = { readonly watch: WatchList; readonly statuses: Statuses };

/** A poller is a value: what to ask, how to read it, and which facts it gives. */
export type Poller = {
  readonly name: PollerName;
  readonly means: string;
  readonly kinds: readonly KindDefinition[];
  /** Six-field cron, UTC; undefined: it is off until a schedule is given. */
  readonly defaultSchedule: string | undefined;
  /** How long a whole poll may take by default, in milliseconds. */
  readonly defaultTimeoutMs: number;
  readonly plan: (watch: WatchList) => readonly Surface[];
  /** `replies` are in the order of the surface's asks. */
  readonly read: (
    surface: Surface,
    replies: readonly Reply[],
    context: ReadContext,
  ) => SurfaceReading;
};

export const POLLER_NAMES = [
  "exchanges",
  "liquidations",
  "pools",
  "swaps",
  "markets",
  "estimations",
  "brokers",
  "swap_history",
  "orders",
] as const;
export type PollerName = (typeof POLLER_NAMES)[number];

/** The reply of one endpoint. That a planned ask has none is a bug, and thrown as one. */
export function replyOf<Name extends ReadEndpoint>(
  replies: readonly Reply[],
  endpoint: Name,
): Decoded[Name] {
  const reply = replies.find((candidate) => candidate.endpoint === endpoint);
  if (reply === undefined) throw new Error(`there is no reply of ${endpoint}`);
  return reply.value as Decoded[Name];
}

export function complete(entities: readonly SeenEntity[]): SurfaceReading {
  return { ok: true, complete: true, entities };
}

/** The reply fits its shape, and yet is not the answer to what was asked. */
export function mismatched(endpoint: ReadEndpoint, message: string): SurfaceReading {
  return {
    ok: false,
    failure: { reason: "mismatch", endpoint, message: message.slice(0, 400) },
  };
}

/** Leaves out what is not known: a fact is never guessed. */
export function knownFacts<Value>(
  facts: Readonly<Record<string, Value | undefined>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

/** Finds entries of one list by key; a list of ten thousand is gone through once, not for each answer. */
export function createFinder<Item>(
  keyOf: (item: Item) => string,
): (items: readonly Item[], key: string) => Item | undefined {
  const indexes = new WeakMap<readonly Item[], ReadonlyMap<string, Item>>();
  return (items, key) => {
    let index = indexes.get(items);
    if (index === undefined) {
      index = new Map(items.toReversed().map((item): [string, Item] => [keyOf(item), item]));
      indexes.set(items, index);
    }
    return index.get(key);
  };
}

/** The first entry of a watch list for each key: the same entry twice is one surface. */
export function firstOfEach<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  const byKey = new Map<string, Item>();
  for (const item of items) if (!byKey.has(keyOf(item))) byKey.set(keyOf(item), item);
  return [...byKey.values()];
}
