import type { PoolReserves } from "../aggregator/endpoints/pools.ts";
import type { FactValue, SeenEntity } from "../domain/entity.ts";
import { poolKind } from "./kinds.ts";
import type { Poller } from "./poller.ts";
import { complete, firstOfEach, knownFacts, replyOf } from "./poller.ts";

/** One request for all pools, or one for each watched pool. */
export const poolsPoller: Poller = {
  name: "pools",
  means: "Reserves of liquidity pools: all of them, or the watched ones.",
  kinds: [poolKind],
  defaultSchedule: "*/30 * * * * *",
  defaultTimeoutMs: 15_000,
  plan: (watch) =>
    watch.pools.length === 0
      ? [{ name: "all", asks: [{ endpoint: "reserves", args: {} }] }]
      : firstOfEach(watch.pools, ({ factory, pair }) => `${factory}/${pair}`).map(
          ({ factory, pair }) => ({
            name: `${factory}/${pair}`,
            asks: [{ endpoint: "poolReserves", args: { factory, pair } }],
          }),
        ),
  read: (surface, replies) => {
    const { endpoint, args } = surface.asks[0] ?? { endpoint: "reserves", args: {} };
    if (endpoint === "reserves")
      return complete(
        replyOf(replies, "reserves").map((pool) => poolEntity(pool.factory, pool.pair, pool)),
      );
    const { factory = "", pair = "" } = args;
    return complete([poolEntity(factory, pair, replyOf(replies, "poolReserves"))]);
  },
};

function poolEntity(factory: string, pair: string, reserves: PoolReserves): SeenEntity {
  const id = `${factory}/${pair}`;
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
      base: reserves.a,
      quote: reserves.p,
      price: reserves.indicativePrice,
    }),
  };
}
