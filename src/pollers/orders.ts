import type { Order } from "../aggregator/endpoints/orders.ts";
import {
  sameFacts,
  type FactValue,
  type KindDefinition,
  type SeenEntity,
} from "../domain/entity.ts";
import type { Contradiction } from "../domain/observation.ts";
import { identifierKey, joined } from "../domain/identifier.ts";
import { MISSING, words } from "./fact-types.ts";
import { ORDER_FACTS, orderFacts } from "./order-facts.ts";
import {
  createFinder,
  firstOfEach,
  knownFacts,
  mismatched,
  complete,
  definePoller,
  ORDER_MARKETS,
  type OrderMarket,
  type Poller,
  type ReadContext,
  type Surface,
  type WatchList,
  type WatchListOf,
} from "./poller.ts";
import { isWord } from "./status-words.ts";
import type { Reply } from "../aggregator/endpoints/index.ts";

const orderKind = {
  kind: "order",
  means:
    "A spot or futures order that is watched by id or has a watched status. An order that leaves the watched statuses has ended.",
  facts: {
    ...ORDER_FACTS,
    market: words(ORDER_MARKETS, "`spot` or `futures`."),
    missing: MISSING,
  },
  whenAbsent: "gone",
  // Once it is watched by its id. That of its market is not named, as an entry that is removed ends at once.
  surfaces: (id) => [id],
} as const satisfies KindDefinition;

/** The entries of `watch.orders`. */
const ordersList: WatchListOf<"orders"> = {
  list: "orders",
  kind: "order",
  means: "An order, by market and id, and its owner if that is needed: `spot/123/0x8a…`.",
  // The owner only helps to ask for it.
  keyOf: (target) => {
    const [market = "", id = ""] = target.split("/");
    return `${market}/${identifierKey(id)}`;
  },
  problemOf: (target) =>
    /^(?:spot|futures)(?:\/[^/\s]+){1,2}$/.test(target)
      ? undefined
      : "must be spot/ID or futures/ID, with /OWNER if that is needed",
  targetOf: ({ market, id, owner }) => `${market}/${id}${owner === undefined ? "" : `/${owner}`}`,
  itemOf: ({ target, alias }) => {
    const [market, id = "", owner] = target.split("/");
    return {
      market: market === "futures" ? "futures" : "spot",
      id,
      ...(owner === undefined ? {} : { owner }),
      alias,
    };
  },
};

/** At most so many orders are shown at once, whatever there are (stated by the interface). */
const MOST_SHOWN = 20;

const LISTINGS = { spot: "ordersByStatus", futures: "futuresByStatus" } as const;
const SINGLES = { spot: "order", futures: "futuresOrder" } as const;

/** A listing for each market with watched statuses, and one request for each watched order. */
export const ordersPoller = definePoller({
  name: "orders",
  means: "Spot and futures orders: those with a watched status, and the watched ones.",
  kinds: [orderKind],
  watchList: ordersList,
  defaultSchedule: "*/15 * * * * *",
  defaultTimeoutMs: 14_000,
  plan: ({ orders, orderStatuses }) => [
    ...ORDER_MARKETS.filter((market) => orderStatuses[market].length > 0).map(
      (market): Surface => ({
        name: market,
        requests: [...new Set(orderStatuses[market])].map((status) => ({
          endpoint: LISTINGS[market],
          args: { status },
        })),
      }),
    ),
    ...firstOfEach(orders, surfaceOf).map((order): Surface => ({
      name: surfaceOf(order),
      requests: [
        {
          endpoint: SINGLES[order.market],
          args: { orderId: order.id, ...(order.owner && { owner: order.owner }) },
        },
      ],
    })),
  ],
  read: (surface, replies, context) => {
    const market = ORDER_MARKETS.find((one) => one === surface.name);
    return market === undefined
      ? readSingle(surface, replies, context)
      : readListing(market, surface, replies, context);
  },
  missing: (surface, { watch }) => {
    if (ORDER_MARKETS.some((market) => market === surface.name)) return undefined;
    const { market, id, alias } = watchedOrder(surface, watch);
    const key = identifierKey(id);
    const facts = { order_id: key, name: alias ?? key, market, missing: true };
    return [{ kind: orderKind.kind, id: surface.name, facts }];
  },
});

type WatchedOrder = WatchList["orders"][number];

function surfaceOf({ market, id }: Pick<WatchedOrder, "market" | "id">): string {
  return joined(market, identifierKey(id));
}

/**
 * Statuses are asked for one after the other, in the order in which orders move. So an order that moves on meanwhile is
 * listed twice, and never in none: what was asked for later says where it is, and nothing is done about it until it is
 * listed once. A listing that is full may lack any number of orders.
 */
function readListing(
  market: OrderMarket,
  surface: Surface,
  replies: readonly Reply[],
  { watch, statuses }: ReadContext,
): ReturnType<Poller["read"]> {
  const own = new Set(watch.orders.map(surfaceOf));
  const entities = new Map<string, SeenEntity>();
  const full: string[] = [];
  const twice: Contradiction[] = [];
  for (const [index, { value }] of replies.entries()) {
    const orders = value as readonly Order[];
    const status = surface.requests[index]?.args["status"] ?? "";
    if (orders.length >= MOST_SHOWN) full.push(status);
    const other = orders.findIndex((order) => !isWord(order.status, status));
    if (other !== -1)
      return mismatched(LISTINGS[market], `$[${other}].status: expected ${status}, as asked for`);
    for (const order of orders) {
      const id = identifierKey(order.id);
      // A watched order is read by itself.
      if (own.has(surfaceOf({ market, id }))) continue;
      const before = entities.get(id);
      const entity = entityOf(market, order, { id }, statuses);
      if (before !== undefined && !sameFacts(before.facts, entity.facts))
        twice.push({ kind: entity.kind, id: entity.id, detail: `listed again as ${status}` });
      entities.set(id, entity);
    }
  }
  const found = { ok: true, entities: [...entities.values()] } as const;
  const contradictions = twice.length === 0 ? {} : { contradictions: twice };
  if (full.length === 0) return { ...found, complete: true, ...contradictions };
  const detail = `${full.join(", ")}: ${MOST_SHOWN} are shown, and there may be more`;
  const doubt = { reason: "cut", detail } as const;
  return { ...found, complete: false, doubt, ...contradictions };
}

function readSingle(
  surface: Surface,
  replies: readonly Reply[],
  { watch, statuses }: ReadContext,
): ReturnType<Poller["read"]> {
  const watched = watchedOrder(surface, watch);
  const [reply] = replies;
  if (reply === undefined) throw new Error(`there is no reply for ${surface.name}`);
  const order = reply.value as Order;
  const id = identifierKey(order.id);
  if (surfaceOf({ ...watched, id }) !== surface.name)
    return mismatched(reply.endpoint, `$.order.id: expected the order asked for (${watched.id})`);
  return complete([entityOf(watched.market, order, { id, alias: watched.alias }, statuses)]);
}

const findOrder = createFinder(surfaceOf);

function watchedOrder(surface: Surface, watch: WatchList): WatchedOrder {
  const watched = findOrder(watch.orders, surface.name);
  if (watched === undefined) throw new Error(`there is no watched order ${surface.name}`);
  return watched;
}

function entityOf(
  market: OrderMarket,
  order: Order,
  name: Parameters<typeof orderFacts>[1],
  statuses: ReadContext["statuses"],
): SeenEntity {
  const shown = { ...orderFacts(order, name, statuses), market, missing: false };
  const facts = knownFacts<FactValue>(shown);
  return { kind: orderKind.kind, id: surfaceOf({ market, id: name.id }), facts };
}
