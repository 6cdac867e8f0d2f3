import type { Json } from "../../domain/result.ts";
import { addressOf, digest } from "../model/hash.ts";
import { nativeOf } from "../model/networks.ts";
import { redeemableUntil } from "../model/swaps.ts";
import type { Swap, SwapPhase } from "../model/world.ts";

/** Swaps on the wire (public SDK, atomicSwapHistorySchema and redeemOrderSchema). */

const STATUSES: Readonly<Record<SwapPhase, string>> = {
  locked: "ACTIVE",
  delivered: "ACTIVE",
  settled: "SETTLED",
  expired: "EXPIRED",
};

/** The broker's side of a swap: the delivery on this network. */
export function redeemOrderView(swap: Swap, network: string): Json {
  return {
    asset: nativeOf(network),
    amount: swap.amount,
    secretHash: swap.secretHash,
    sender: swap.broker,
    receiver: swap.sender,
    expiration: redeemableUntil(swap),
    signature: `${digest(`redeem ${swap.secretHash}`)}${digest(swap.broker).slice(2)}1b`,
    claimReceiver: addressOf(`claims of ${swap.broker}`),
  };
}

export function swapView(swap: Swap, network: string): Json {
  return {
    id: swap.id,
    sender: swap.sender,
    lockOrder: {
      sender: swap.sender,
      asset: nativeOf(swap.sourceNetwork),
      amount: swap.sourceAmount,
      expiration: swap.expiresAt,
      secretHash: swap.secretHash,
      used: swap.phase === "settled" || swap.phase === "expired",
      sourceNetworkCode: swap.sourceNetwork,
    },
    redeemOrder: redeemOrderView(swap, network),
    status: STATUSES[swap.phase],
    creationTime: swap.createdAt,
  };
}
