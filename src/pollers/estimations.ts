import type { Facts, KindDefinition, Lookup, SeenEntity } from "../domain/entity.ts";
import { joined } from "../domain/identifier.ts";
import { finite, number, text, words } from "./fact-types.ts";
import { complete, definePoller, replyOf, type WatchList } from "./poller.ts";
import { poolSurfaces, surfacesOfPool } from "./pool-surfaces.ts";

const estimationKind = {
  kind: "estimation",
  means:
    "What the aggregator estimates for a trade with a pool. The pool's own facts `estimate` and `estimate_departure` follow from it.",
  facts: {
    name: text("Factory and pair, e.g. OrionV2/ORN-USDT."),
    factory: text("The factory's name."),
    pair: text("The pair, e.g. ORN-USDT."),
    side: words(["BUY", "SELL"], "The side that was asked about."),
    amount: number("The amount that was asked about, in units of the base asset."),
    estimate: number("What it would give (SELL) or cost (BUY), in units of the quote asset."),
  },
  whenAbsent: "gone",
  surfaces: surfacesOfPool,
} as const satisfies KindDefinition;

export const estimationsPoller = definePoller({
  name: "estimations",
  means: "Estimations of pools, to be held against their reserves.",
  kinds: [estimationKind],
  defaultSchedule: undefined,
  defaultTimeoutMs: 15_000,
  plan: (watch) => {
    const { amount, side } = watch.estimation;
    const trade = { amount: String(amount), side };
    return poolSurfaces(watch, { all: "estimations", each: "poolEstimation" }, trade);
  },
  read: (surface, replies, { watch }) => {
    const { endpoint, args } = surface.requests[0] ?? { endpoint: "estimations", args: {} };
    if (endpoint === "estimations")
      return complete(
        replyOf(replies, "estimations").map(({ factory, pair, estimation }) =>
          estimationEntity(factory, pair, watch.estimation, estimation),
        ),
      );
    const { factory = "", pair = "" } = args;
    const { estimation } = replyOf(replies, "poolEstimation");
    return complete([estimationEntity(factory, pair, watch.estimation, estimation)]);
  },
  // That the pool is missing is a fact of the pool, which its own poller gives.
  missing: ({ requests: [request] }) => (request?.endpoint === "poolEstimation" ? [] : undefined),
});

function estimationEntity(
  factory: string,
  pair: string,
  { amount, side }: WatchList["estimation"],
  estimate: number,
): SeenEntity {
  const name = joined(factory, pair);
  return { kind: "estimation", id: name, facts: { name, factory, pair, side, amount, estimate } };
}

/**
 * A constant-product pool gives `quote * amount / (base + amount)` for so much of the base asset, and
 * requests `quote * amount / (base - amount)` for it, before fees. Pools of another curve depart from that.
 */
export function withEstimate(facts: Facts, lookup: Lookup): Facts {
  const found = lookup.one("estimation", String(facts["name"]));
  const { base, quote } = facts;
  if (found === undefined || typeof base !== "number" || typeof quote !== "number") return facts;
  const { estimate, amount, side } = found;
  if (typeof estimate !== "number" || typeof amount !== "number") return facts;
  const left = side === "BUY" ? base - amount : base + amount;
  const expected = left > 0 ? (finite((quote * amount) / left) ?? 0) : 0;
  const departure = expected > 0 ? finite(Math.abs(estimate / expected - 1)) : undefined;
  if (departure === undefined) return { ...facts, estimate };
  return { ...facts, estimate, estimate_departure: departure };
}
