import type { Swap } from "../aggregator/endpoints/swaps.ts";
import type { FactValue, KindDefinition, SeenEntity } from "../domain/entity.ts";
import { identifierKey } from "../domain/identifier.ts";
import { flag, following, from, instant, meantBy, MISSING, number, text } from "./fact-types.ts";
import type { WatchListOf } from "./poller.ts";
import { complete, definePoller, knownFacts, replyOf, withoutSpaces } from "./poller.ts";
import { aliasOfSender, foreignSwap, senderSurfaces } from "./sender-surfaces.ts";
import { swapStatus, type Statuses } from "./status-words.ts";
import { SWAP_STATUS, withUsual } from "./swap-history.ts";

export const swapKind = {
  kind: "swap",
  means: "An active atomic swap of a watched sender.",
  facts: {
    secret_hash: text("The hash that the swap is locked with; its id."),
    sender: text("The sender's address."),
    sender_alias: text("The sender's configured alias, or its address."),
    status: SWAP_STATUS,
    active: flag("Whether it is listed as current, and its status does not say that it has ended."),
    final: meantBy(
      "swap_statuses",
      "Whether the status says that it has ended; unknown if `swap_statuses` does not have the word.",
    ),
    asset: from("lockOrder.asset", text("The locked asset's ticker.")),
    amount: from("lockOrder.amount", number("The locked amount, in units of the asset.")),
    redeem_asset: from("redeemOrder.asset", text("Ticker of the asset that is delivered for it.")),
    redeem_amount: from(
      "redeemOrder.amount",
      number("How much of that is delivered, in its units."),
    ),
    source_network: from(
      "lockOrder.sourceNetworkCode",
      text("Network code of the source chain, e.g. BSC."),
    ),
    created: from("creationTime", instant("When the aggregator says it was created.")),
    expires: from("lockOrder.expiration", instant("When the lock expires.")),
    lock_used: from("lockOrder.used", flag("Whether the lock was claimed or refunded.")),
    usual_p99: following(
      "swap_route",
      number(
        "How many seconds 99 of 100 finished swaps of its route took at most; unknown until 20 have finished.",
      ),
    ),
    slow_after: following(
      "swap_route",
      instant("When it will have taken three times as long as that."),
    ),
  },
  enrich: withUsual,
  whenAbsent: "gone",
  parent: "sender",
} as const satisfies KindDefinition;

const senderKind = {
  kind: "sender",
  means: "A watched sender of atomic swaps.",
  facts: {
    address: text("The sender's address."),
    alias: text("The configured alias, or the address."),
    active_swaps: number("How many of its swaps are active."),
    missing: MISSING,
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** The entries of `watch.senders`. */
const sendersList: WatchListOf<"senders"> = {
  list: "senders",
  kind: "sender",
  means: "A sender of atomic swaps, by its address: `0x8a…`.",
  keyOf: identifierKey,
  problemOf: (target) => withoutSpaces(target) ?? digitsProblem(target),
  targetOf: ({ address }) => address,
  itemOf: ({ target, alias }) => ({ address: target, alias: alias ?? target }),
};

/**
 * An address of an EVM chain of which a digit is missing, or is there twice: it is watched in vain, and looks like a quiet
 * sender. Other lengths are left alone, as other networks have addresses of their own.
 */
function digitsProblem(target: string): string | undefined {
  const digits = /^0x([0-9a-f]{39}|[0-9a-f]{41})$/i.exec(target)?.[1];
  return digits && `must have 40 digits after 0x: it has ${digits.length}`;
}

/** One request for each watched sender. */
export const swapsPoller = definePoller({
  name: "swaps",
  means: "Active atomic swaps of the watched senders.",
  kinds: [swapKind, senderKind],
  watchList: sendersList,
  defaultSchedule: "*/30 * * * * *",
  defaultTimeoutMs: 25_000,
  plan: (watch) => senderSurfaces(watch, "activeSwaps"),
  read: (surface, replies, { watch, statuses }) => {
    const sender = surface.name;
    const swaps = replyOf(replies, "activeSwaps");
    const foreign = foreignSwap(surface, "activeSwaps", swaps);
    if (foreign !== undefined) return foreign;
    const alias = aliasOfSender(watch, sender);
    const parent = { kind: swapKind.parent, id: sender };
    const entities = swaps.map((swap) => swapEntity(swap, parent, alias, statuses));
    return complete([
      {
        kind: senderKind.kind,
        id: sender,
        facts: knownFacts<FactValue>({
          address: sender,
          alias,
          active_swaps: entities.filter(({ facts }) => facts["active"] === true).length,
          missing: false,
        }),
      },
      ...entities,
    ]);
  },
  missing: ({ name: address }, { watch }) => {
    const alias = aliasOfSender(watch, address);
    return [{ kind: senderKind.kind, id: address, facts: { address, alias, missing: true } }];
  },
});

/** It is listed as current, so it is active whatever an unknown word means: an alert may be wrong, but is not missed. */
function swapEntity(
  swap: Swap,
  parent: NonNullable<SeenEntity["parent"]>,
  alias: string,
  statuses: Statuses,
): SeenEntity {
  const { lockOrder } = swap;
  const secretHash = identifierKey(lockOrder.secretHash);
  const { status, active } = swapStatus(swap, statuses);
  return {
    kind: swapKind.kind,
    id: secretHash,
    parent,
    facts: knownFacts<FactValue>({
      secret_hash: secretHash,
      sender: parent.id,
      sender_alias: alias,
      status,
      active: active ?? true,
      final: active === undefined ? undefined : !active,
      asset: lockOrder.asset,
      amount: lockOrder.amount,
      redeem_asset: swap.redeemOrder?.asset,
      redeem_amount: swap.redeemOrder?.amount,
      source_network: lockOrder.sourceNetworkCode,
      created: swap.creationTime,
      expires: lockOrder.expiration,
      lock_used: lockOrder.used,
    }),
  };
}
