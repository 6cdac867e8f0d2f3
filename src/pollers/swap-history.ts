import type { Swap } from "../aggregator/endpoints/swaps.ts";
import type { Facts, FactValue, KindDefinition, Lookup, SeenEntity } from "../domain/entity.ts";
import type { Instant } from "../domain/time.ts";
import { identifierKey } from "../domain/identifier.ts";
import { from, instant, meantBy, number, text } from "./fact-types.ts";
import { swapStatus, type Statuses } from "./status-words.ts";
import { complete, definePoller, knownFacts, replyOf } from "./poller.ts";
import { aliasOfSender, foreignSwap, senderSurfaces } from "./sender-surfaces.ts";

export const SWAP_STATUS = text(
  "The status word, as `swap_statuses` spells it: `ACTIVE`, `SETTLED` or `EXPIRED`; any other word stays as the aggregator gives it.",
);
export const pastSwapKind = {
  kind: "past_swap",
  means: "A swap among the newest of a watched sender's history, active or finished.",
  facts: {
    secret_hash: text("The hash that the swap is locked with; its id."),
    sender: text("The sender's address."),
    sender_alias: text("The sender's configured alias, or its address."),
    status: SWAP_STATUS,
    finished: meantBy(
      "swap_statuses",
      "Whether it has settled or expired; unknown if `swap_statuses` does not have the word.",
    ),
    settled: meantBy(
      "swap_statuses",
      "Whether it has settled; unknown if `swap_statuses` does not have the word.",
    ),
    asset: from("lockOrder.asset", text("The locked asset's ticker.")),
    source_network: from(
      "lockOrder.sourceNetworkCode",
      text("Network code of the source chain, e.g. BSC."),
    ),
    created: from("creationTime", instant("When the aggregator says it was created.")),
  },
  took: tookOf,
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** The core itself gives this kind: what was seen of how long swaps take. */
const swapRouteKind = {
  kind: "swap_route",
  means:
    "A source network of swaps to this aggregator's network, and how long its last 200 swaps took, of those that were seen both active and settled. The interface does not say when a swap ended, so each duration is too long by up to one interval of the poller `swap_history`.",
  facts: {
    name: text("Network code of the source chain, e.g. BSC."),
    finished: number("How many durations are known, 200 at most."),
    p50: number("The median, in seconds."),
    p99: number("The 99th percentile, in seconds."),
    longest: number("The longest of them, in seconds."),
    last_finished: { ...instant("When the last swap was seen finished."), past: true },
  },
  derived: true,
  whenAbsent: "gone",
} as const satisfies KindDefinition;

const ENOUGH = 20;
const SLOW = 3;

/** Only swaps that settle say how long swaps take: one that expires took as long as its lock. */
function tookOf(before: Facts, after: Facts, at: Instant): ReturnType<Took> {
  const { created, source_network: network, settled } = after;
  if (before["finished"] !== false || settled !== true) return undefined;
  if (typeof created !== "number" || typeof network !== "string" || created > at) return undefined;
  return { into: "swap_route", group: network, tookMs: at - created };
}
type Took = NonNullable<KindDefinition["took"]>;

/** What is usual for a swap's route. From too few durations the slowest of a hundred cannot be told. */
export function withUsual(facts: Facts, lookup: Lookup): Facts {
  const { source_network: network, created } = facts;
  const route = network === undefined ? undefined : lookup.one("swap_route", String(network));
  const { finished, p99 } = route ?? {};
  if (typeof finished !== "number" || typeof p99 !== "number" || finished < ENOUGH) return facts;
  const slow =
    typeof created === "number" ? { slow_after: created + Math.ceil(SLOW * p99 * 1_000) } : {};
  return { ...facts, usual_p99: p99, ...slow };
}

/** One request for each watched sender. */
export const swapHistoryPoller = definePoller({
  name: "swap_history",
  means: "The newest swaps of the watched senders, finished ones too: how long swaps take.",
  kinds: [pastSwapKind, swapRouteKind],
  defaultSchedule: "0 * * * * *",
  defaultTimeoutMs: 50_000,
  plan: (watch) => senderSurfaces(watch, "swapHistory", { limit: String(watch.historyLimit) }),
  read: (surface, replies, { watch, statuses }) => {
    const sender = surface.name;
    const swaps = replyOf(replies, "swapHistory");
    const foreign = foreignSwap(surface, "swapHistory", swaps);
    if (foreign !== undefined) return foreign;
    const alias = aliasOfSender(watch, sender);
    // Whatever order and number the aggregator answers with, only the newest are kept.
    const newest = swaps
      .toSorted((one, other) => (other.creationTime ?? 0) - (one.creationTime ?? 0))
      .slice(0, watch.historyLimit);
    // It is the newest few that are asked for, so what is beyond them has ended for us.
    return complete(newest.map((swap) => pastSwap(swap, sender, alias, statuses)));
  },
  // That the sender is missing is a fact of the sender, which the poller `swaps` gives.
  missing: () => [],
});

function pastSwap(swap: Swap, sender: string, alias: string, statuses: Statuses): SeenEntity {
  const { lockOrder } = swap;
  const secretHash = identifierKey(lockOrder.secretHash);
  const { status, active, settled } = swapStatus(swap, statuses);
  return {
    kind: pastSwapKind.kind,
    id: secretHash,
    facts: knownFacts<FactValue>({
      secret_hash: secretHash,
      sender,
      sender_alias: alias,
      status,
      finished: active === undefined ? undefined : !active,
      settled,
      asset: lockOrder.asset,
      source_network: lockOrder.sourceNetworkCode,
      created: swap.creationTime,
    }),
  };
}
