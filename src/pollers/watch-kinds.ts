import type { WatchEntry, WatchKind } from "../domain/watch.ts";
import { pollers } from "./index.ts";
import { NOTHING_WATCHED, WATCH_LISTS, type ListName, type WatchList } from "./poller.ts";

/** What can be watched by entry, of the pollers that say so. */

type Named = { readonly alias?: string | undefined };
type AnyList = WatchKind & {
  readonly list: ListName;
  readonly targetOf: (item: object) => string;
  readonly itemOf: (entry: WatchEntry) => object;
};

const LISTS = WATCH_LISTS.map((list): AnyList => {
  const poller = pollers.find(({ watchList }) => watchList?.list === list);
  if (poller === undefined) throw new Error(`no poller has the watch list "${list}"`);
  // Each list's functions take its own items, which is what they are given below.
  return { ...(poller.watchList as unknown as AnyList), poller: poller.name };
});

export const watchKinds: ReadonlyMap<string, WatchKind> = new Map(
  LISTS.map((list): [string, WatchKind] => [list.kind, list]),
);

/** The merged entries as the pollers want them, beside what is set in the config alone. */
export function watchListOf(entries: Iterable<WatchEntry>, others: WatchList): WatchList {
  const byKind = Map.groupBy(entries, ({ kind }) => kind);
  const lists = LISTS.map(({ list, kind, itemOf }) => [list, (byKind.get(kind) ?? []).map(itemOf)]);
  return { ...others, ...(Object.fromEntries(lists) as Pick<WatchList, ListName>) };
}

/** The other way: the lists of the config as entries. A name that is the target itself is not an alias. */
export function entriesOf(watch: Pick<WatchList, ListName>): WatchEntry[] {
  return LISTS.flatMap(({ list, kind, targetOf, unnamed }) =>
    watch[list].map((item: object & Named): WatchEntry => {
      const target = targetOf(item);
      const isNamed = unnamed !== true && item.alias !== undefined && item.alias !== target;
      return { kind, target, ...(isNamed ? { alias: item.alias } : {}) };
    }),
  );
}

const ONE_SENDER = { ...NOTHING_WATCHED, senders: [{ address: "0x1" }] };

/** The names of the pollers whose surfaces are the watched senders. */
export const SENDER_POLLERS: ReadonlySet<string> = new Set(
  pollers.flatMap(({ name, plan }) =>
    plan(ONE_SENDER).length > plan(NOTHING_WATCHED).length ? [name] : [],
  ),
);
