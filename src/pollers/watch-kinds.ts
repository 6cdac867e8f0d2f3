import type { WatchEntry, WatchKind } from "../domain/watch.ts";
import { identifierKey } from "../domain/identifier.ts";
import type { WatchList } from "./poller.ts";

/**
 * What can be watched by entry. Files, lists over HTTP, the API, the command line, metrics and docs
 * know of these alone, so a poller with a list of its own adds one row here, and its list to `WatchList`.
 */
type Row<Item> = WatchKind & {
  readonly targetOf: (item: Item) => string;
  readonly itemOf: (entry: WatchEntry) => Item;
};

type Named = { readonly alias?: string | undefined };

const withoutSpaces = (target: string): string | undefined =>
  /\s/.test(target) ? "must not hold spaces" : undefined;

const sender: Row<WatchList["senders"][number]> = {
  kind: "sender",
  means: "A sender of atomic swaps, by its address: `0x8a…`.",
  poller: "swaps",
  keyOf: identifierKey,
  problemOf: withoutSpaces,
  targetOf: ({ address }) => address,
  itemOf: ({ target, alias }) => ({ address: target, alias: alias ?? target }),
};

const liquidation: Row<WatchList["liquidations"][number]> = {
  kind: "liquidation",
  means: "A liquidation order, by its id: `0x5f…`.",
  poller: "liquidations",
  keyOf: identifierKey,
  problemOf: withoutSpaces,
  targetOf: ({ id }) => id,
  itemOf: ({ target, alias }) => ({ id: target, alias: alias ?? target }),
};

const pool: Row<WatchList["pools"][number]> = {
  kind: "pool",
  means: "A pool, by factory and pair: `OrionV2/ORN-USDT`. With no entry, all pools are watched.",
  poller: "pools",
  keyOf: (target) => target,
  problemOf: (target) =>
    /^[^/\s]+\/[^/\s]+$/.test(target) ? undefined : "must be factory/pair, as OrionV2/ORN-USDT",
  unnamed: true,
  noneIsAll: true,
  targetOf: ({ factory, pair }) => `${factory}/${pair}`,
  itemOf: ({ target }) => {
    const cut = target.indexOf("/");
    return { factory: target.slice(0, cut), pair: target.slice(cut + 1) };
  },
};

const order: Row<WatchList["orders"][number]> = {
  kind: "order",
  means: "An order, by market and id, and its owner where that is needed: `spot/123/0x8a…`.",
  poller: "orders",
  // The owner only helps to ask for it.
  keyOf: (target) => {
    const [market = "", id = ""] = target.split("/");
    return `${market}/${identifierKey(id)}`;
  },
  problemOf: (target) =>
    /^(?:spot|futures)(?:\/[^/\s]+){1,2}$/.test(target)
      ? undefined
      : "must be spot/ID or futures/ID, with /OWNER where that is needed",
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

type ListName = "senders" | "liquidations" | "pools" | "orders";

/** By the name of their list in `WatchList`, which is also their key in the config. */
const ROWS: { readonly [List in ListName]: Row<WatchList[List][number]> } = {
  senders: sender,
  liquidations: liquidation,
  pools: pool,
  orders: order,
};

export const WATCH_LISTS = Object.keys(ROWS) as readonly ListName[];

export const watchKinds: ReadonlyMap<string, WatchKind> = new Map(
  Object.values(ROWS).map((row): [string, WatchKind] => [row.kind, row]),
);

/** The merged entries as the pollers want them, beside what is set in the config alone. */
export function watchListOf(entries: Iterable<WatchEntry>, others: WatchList): WatchList {
  const byKind = Map.groupBy(entries, ({ kind }) => kind);
  const lists = WATCH_LISTS.map((list) => {
    const { kind, itemOf } = ROWS[list] as Row<object>;
    return [list, (byKind.get(kind) ?? []).map(itemOf)] as const;
  });
  return { ...others, ...(Object.fromEntries(lists) as unknown as Pick<WatchList, ListName>) };
}

/** The other way: a list of the config as entries. A name that is the target itself is no alias. */
export function entriesOf(watch: Pick<WatchList, ListName>): WatchEntry[] {
  return WATCH_LISTS.flatMap((list) => {
    const row = ROWS[list] as Row<object>;
    return watch[list].map((item: object & Named): WatchEntry => {
      const target = row.targetOf(item);
      const isNamed = row.unnamed !== true && item.alias !== undefined && item.alias !== target;
      return { kind: row.kind, target, ...(isNamed ? { alias: item.alias } : {}) };
    });
  });
}
