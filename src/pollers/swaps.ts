import type { Swap } from "../aggregator/endpoints/swaps.ts";
import type { FactValue, SeenEntity } from "../domain/entity.ts";
import { identifierKey } from "../domain/identifier.ts";
import { senderKind, swapKind } from "./kinds.ts";
import type { Poller, WatchList } from "./poller.ts";
import { complete, createFinder, firstOfEach, knownFacts, mismatched, replyOf } from "./poller.ts";

const SWAP_STATUSES: ReadonlySet<string> = new Set(["ACTIVE", "SETTLED", "EXPIRED"]);

const findSender = createFinder<WatchList["senders"][number]>(({ address }) =>
  identifierKey(address),
);

/** One request for each watched sender, as the interface lists active swaps by sender only. */
export const swapsPoller: Poller = {
  name: "swaps",
  means: "Active atomic swaps of the watched senders.",
  kinds: [senderKind, swapKind],
  defaultSchedule: "*/30 * * * * *",
  defaultTimeoutMs: 25_000,
  plan: (watch) =>
    firstOfEach(watch.senders, ({ address }) => identifierKey(address)).map(({ address }) => ({
      name: identifierKey(address),
      asks: [{ endpoint: "activeSwaps", args: { sender: address } }],
    })),
  read: (surface, replies, { watch }) => {
    const sender = surface.name;
    const swaps = replyOf(replies, "activeSwaps");
    const foreign = swaps.findIndex((swap) => identifierKey(swap.sender) !== sender);
    if (foreign !== -1)
      return mismatched("activeSwaps", `$[${foreign}].sender: expected the sender asked for`);
    const watched = findSender(watch.senders, sender);
    const alias = watched?.alias ?? sender;
    const active = swaps.filter((swap) => swap.status === "ACTIVE").length;
    // With a status word that is not known among them, their number is not known either.
    const isSure = swaps.every((swap) => SWAP_STATUSES.has(swap.status));
    return complete([
      {
        kind: senderKind.kind,
        id: sender,
        facts: knownFacts<FactValue>({
          address: sender,
          alias,
          active_swaps: isSure ? active : undefined,
        }),
      },
      ...swaps.map((swap) => swapEntity(swap, sender, alias)),
    ]);
  },
};

function swapEntity(swap: Swap, sender: string, alias: string): SeenEntity {
  const { lockOrder } = swap;
  const secretHash = identifierKey(lockOrder.secretHash);
  const isKnown = SWAP_STATUSES.has(swap.status);
  return {
    kind: swapKind.kind,
    id: secretHash,
    parent: { kind: senderKind.kind, id: sender },
    facts: knownFacts<FactValue>({
      secret_hash: secretHash,
      sender,
      sender_alias: alias,
      status: swap.status,
      active: isKnown ? swap.status === "ACTIVE" : undefined,
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
