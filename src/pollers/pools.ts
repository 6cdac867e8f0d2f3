import type { Decoded } from "../aggregator/endpoints/index.ts";
import type { PoolReserves } from "../aggregator/endpoints/pools.ts";
import { madeOnce } from "../domain/lists/changed-items.ts";
import type { FactValue, KindDefinition, SeenEntity } from "../domain/entity.ts";
import { joined } from "../domain/identifier.ts";
import { withEstimate } from "./estimations.ts";
import { following, from, MISSING, number, text } from "./fact-types.ts";
import type { WatchListOf } from "./poller.ts";
import { complete, definePoller, knownFacts, replyOf } from "./poller.ts";
import { poolSurfaces, surfacesOfPool } from "./pool-surfaces.ts";

export const poolKind = {
  kind: "pool",
  means: "A liquidity pool.",
  facts: {
    name: text("Factory and pair, e.g. OrionV2/ORN-USDT."),
    factory: text("The factory's name."),
    pair: text("The pair, e.g. ORN-USDT."),
    base_asset: from("pair", text("The asset before the dash.")),
    quote_asset: from("pair", text("The asset after the dash.")),
    base: number("Reserve of the base asset, in its units."),
    quote: number("Reserve of the quote asset, in its units."),
    price: from("indicativePrice", number("The indicative price, in units of the quote asset.")),
    estimate: following(
      "estimation",
      number(
        "What the aggregator last estimated for the amount of the poller `estimations`, in units of the quote asset.",
      ),
    ),
    estimate_departure: following(
      "estimation",
      number(
        "How far the estimate is from the value that the reserves give, as a share: 0.02 is 2 %. The fee is not subtracted, so it is part of this.",
      ),
    ),
    missing: MISSING,
  },
  enrich: withEstimate,
  whenAbsent: "gone",
  surfaces: surfacesOfPool,
} as const satisfies KindDefinition;

/** The entries of `watch.pools`. */
const poolsList: WatchListOf<"pools"> = {
  list: "pools",
  kind: "pool",
  means: "A pool, by factory and pair: `OrionV2/ORN-USDT`. With no entry, all pools are watched.",
  keyOf: (target) => target,
  problemOf: (target) =>
    /^[^/\s]+\/[^/\s]+$/.test(target)
      ? undefined
      : "must be factory/pair, such as OrionV2/ORN-USDT",
  unnamed: true,
  noneIsAll: true,
  targetOf: ({ factory, pair }) => `${factory}/${pair}`,
  itemOf: ({ target }) => {
    const cut = target.indexOf("/");
    return { factory: target.slice(0, cut), pair: target.slice(cut + 1) };
  },
};

export const poolsPoller = definePoller({
  name: "pools",
  means: "Reserves of liquidity pools: all of them, or the watched ones.",
  kinds: [poolKind],
  watchList: poolsList,
  defaultSchedule: "*/30 * * * * *",
  defaultTimeoutMs: 15_000,
  plan: (watch) => poolSurfaces(watch, { all: "reserves", each: "poolReserves" }),
  read: (surface, replies) => {
    const { endpoint, args } = surface.requests[0] ?? { endpoint: "reserves", args: {} };
    if (endpoint === "reserves")
      return complete(replyOf(replies, "reserves").map((pool) => listedPool(pool)));
    const { factory = "", pair = "" } = args;
    return complete([poolEntity(factory, pair, replyOf(replies, "poolReserves"))]);
  },
  missing: ({ requests: [request] }) => {
    if (request?.endpoint !== "poolReserves") return undefined;
    const { factory = "", pair = "" } = request.args;
    return [poolEntity(factory, pair)];
  },
});

const listedPool = madeOnce((pool: Decoded["reserves"][number]) =>
  poolEntity(pool.factory, pool.pair, pool),
);

/** Without reserves: the aggregator knows no such pool. */
function poolEntity(factory: string, pair: string, reserves?: PoolReserves): SeenEntity {
  const id = joined(factory, pair);
  // A pair that is not two assets with one dash between them does not say which is which.
  const assets = pair.split("-");
  const [base, quote] = assets.length === 2 ? assets : [];
  return {
    kind: poolKind.kind,
    id,
    facts: knownFacts<FactValue>({
      name: id,
      factory,
      pair,
      base_asset: base,
      quote_asset: quote,
      base: reserves?.a,
      quote: reserves?.p,
      price: reserves?.indicativePrice,
      missing: reserves === undefined,
    }),
  };
}
