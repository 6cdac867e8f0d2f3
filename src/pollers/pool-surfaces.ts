import type { ReadEndpoint } from "../aggregator/endpoints/index.ts";
import { firstOfEach, type Surface, type WatchList } from "./poller.ts";

/** The surfaces below that may list a pool. */
export const surfacesOfPool = (id: string): readonly string[] => [ALL, id];

const ALL = "all";

/** One request for all pools if none is watched, or else one for each watched pool, by endpoints of either kind. */
export function poolSurfaces(
  { pools }: Pick<WatchList, "pools">,
  { all, each }: { readonly all: ReadEndpoint; readonly each: ReadEndpoint },
  args: Readonly<Record<string, string>> = {},
): readonly Surface[] {
  if (pools.length === 0) return [{ name: ALL, requests: [{ endpoint: all, args }] }];
  const nameOf = ({ factory, pair }: WatchList["pools"][number]): string => `${factory}/${pair}`;
  return firstOfEach(pools, nameOf).map((pool) => ({
    name: nameOf(pool),
    requests: [{ endpoint: each, args: { factory: pool.factory, pair: pool.pair, ...args } }],
  }));
}
