import type { Decoded, Reply } from "../aggregator/endpoints/index.ts";
import type { ReadEndpoint } from "../aggregator/endpoints/index.ts";
import type { KindDefinition, SeenEntity } from "../domain/entity.ts";
import type { SurfaceReading } from "../domain/observation.ts";
import type { Instant } from "../domain/time.ts";
import type { Statuses } from "./status-words.ts";
import type { WatchEntry, WatchKind } from "../domain/watch.ts";

export const ORDER_MARKETS = ["spot", "futures"] as const;
export type OrderMarket = (typeof ORDER_MARKETS)[number];

/** What to watch. It may change at run time; an entry that is removed ends its entities. */
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

/** What is watched if nothing is configured. */
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

export type EndpointRequest = {
  readonly endpoint: ReadEndpoint;
  readonly args: Readonly<Record<string, string>>;
};

/** What is read as one: a listing, or one entry of a watch list; its requests are answered together or fail. */
export type Surface = { readonly name: string; readonly requests: readonly EndpointRequest[] };

/** Whether the requests of a surface are sent one after the other: those to one endpoint are. */
export function areInTurn({ requests }: Surface): boolean {
  return new Set(requests.map(({ endpoint }) => endpoint)).size < requests.length;
}

/** How long a poll of these surfaces may take by default: as many times as long as requests are sent in turn. */
export function defaultTimeoutOf(
  { defaultTimeoutMs }: Pick<Poller, "defaultTimeoutMs">,
  surfaces: readonly Surface[],
): number {
  const inTurn = surfaces.filter(areInTurn).map(({ requests }) => requests.length);
  return defaultTimeoutMs * Math.max(1, ...inTurn);
}

/**
 * Until when a poller need not poll, as the aggregator asked to wait; undefined if some of it can be read now. A surface
 * waits for the endpoint of its own that is paused for longest, and the poller for the surface that can be read first:
 * the others then fail by themselves, as they would anyway.
 */
export function pausedUntil(
  surfaces: readonly Surface[],
  endOf: (endpoint: ReadEndpoint) => Instant | undefined,
): Instant | undefined {
  let first: Instant | undefined;
  for (const { requests } of surfaces) {
    const ends = requests.flatMap(({ endpoint }) => endOf(endpoint) ?? []);
    if (ends.length === 0) return undefined;
    first = Math.min(first ?? Infinity, Math.max(...ends));
  }
  return first;
}

export type ReadContext = { readonly watch: WatchList; readonly statuses: Statuses };

/** The lists of `WatchList` whose entries may also come from files, lists over HTTP and the API. */
export const WATCH_LISTS = ["senders", "liquidations", "pools", "orders"] as const;
export type ListName = (typeof WATCH_LISTS)[number];

/** What can be watched by entry. Files, lists over HTTP, the API, the command line, metrics and docs derive from it. */
export type WatchListOf<List extends ListName> = Omit<WatchKind, "poller"> & {
  /** The list's name in `WatchList`, which is also its key in the config. */
  readonly list: List;
  readonly targetOf: (item: WatchList[List][number]) => string;
  readonly itemOf: (entry: WatchEntry) => WatchList[List][number];
};

/** A poller is a value: what to request, how to read the replies, and which kinds of entity they give. */
export type Poller<Name extends string = string> = {
  readonly name: Name;
  readonly means: string;
  readonly kinds: readonly KindDefinition[];
  /** The watch list that it reads entry by entry; one that another poller reads too is that one's. */
  readonly watchList?: { readonly [List in ListName]: WatchListOf<List> }[ListName];
  /** Six-field cron, UTC; undefined: it is off until a schedule is given. */
  readonly defaultSchedule: string | undefined;
  /** How long a whole poll may take by default, in milliseconds, if no requests are sent in turn. */
  readonly defaultTimeoutMs: number;
  readonly plan: (watch: WatchList) => readonly Surface[];
  /** `replies` are in the order of the surface's requests. */
  readonly read: (
    surface: Surface,
    replies: readonly Reply[],
    context: ReadContext,
  ) => SurfaceReading;
  /**
   * What is seen of the watched id that a surface is about if the aggregator answers it with 404. Undefined if the
   * surface is not about one id: then a 404 is a failure, as it is for a poller without this.
   */
  readonly missing?: (surface: Surface, context: ReadContext) => readonly SeenEntity[] | undefined;
};

/** Keeps the literal name, of which `PollerName` is made. */
export function definePoller<const Name extends string>(poller: Poller<Name>): Poller<Name> {
  return poller;
}

/** The reply of one endpoint. That a planned request has none is a bug, and thrown as one. */
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

/** The aggregator answered 404 for a watched id. That does not mean that the rest of its surface is gone. */
export function missing(entities: readonly SeenEntity[]): SurfaceReading {
  return { ok: true, complete: false, missing: true, entities };
}

/** The reply fits its shape, but is not the reply to this request. */
export function mismatched(endpoint: ReadEndpoint, message: string): SurfaceReading {
  return {
    ok: false,
    failure: { reason: "mismatch", endpoint, message: message.slice(0, 400) },
  };
}

/** Leaves out what is not known: a fact is never guessed. If all are known, which is most of the time, gives them as they are. */
export function knownFacts<Value>(
  facts: Readonly<Record<string, Value | undefined>>,
): Readonly<Record<string, Value>> {
  if (areKnown(facts)) return facts;
  const known: Record<string, Value> = {};
  for (const name in facts) if (facts[name] !== undefined) known[name] = facts[name];
  return known;
}

function areKnown<Value>(
  facts: Readonly<Record<string, Value | undefined>>,
): facts is Readonly<Record<string, Value>> {
  for (const name in facts) if (facts[name] === undefined) return false;
  return true;
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
  for (const item of items) {
    const key = keyOf(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return [...byKey.values()];
}

/** Why text with spaces in it is not a target. */
export function withoutSpaces(target: string): string | undefined {
  return /\s/.test(target) ? "must not hold spaces" : undefined;
}
