import * as z from "zod";
import { round } from "../model/amounts.ts";
import { cannot, defineCommand, done, type Command, type Outcome } from "./command.ts";
import { duration } from "../model/duration.ts";
import { hashSecret } from "../model/hash.ts";
import { LAYER_ONE } from "../model/networks.ts";
import { planSwaps } from "../model/new-world.ts";
import {
  endSwap,
  isActive,
  LOCK_LIFE,
  redeemSwap,
  setSwapStuck,
  settleSwap,
  startOwnSwap,
} from "../model/swaps.ts";
import { hash, positive, senderAddress } from "../model/world-plan.ts";
import type { Swap, World } from "../model/world.ts";

/** Commands about atomic swaps, their senders and brokers. */

const source = z.enum(LAYER_ONE as [string, ...string[]]);
/** An active swap, by its hash, or as the newest of a sender. */
const which = { secret_hash: hash.optional(), sender: senderAddress.optional() };
type Which = z.output<z.ZodObject<typeof which>>;

/** The case of addresses and hashes makes no difference. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function withSwap(world: World, given: Which, then: (swap: Swap) => Outcome): Outcome {
  const { secret_hash: secretHash, sender } = given;
  if (secretHash === undefined && sender === undefined)
    return cannot("Either secret_hash or sender must be given.");
  const swap = [...world.swaps.values()].findLast(
    (one) =>
      isActive(one) &&
      (secretHash === undefined || isSame(one.secretHash, secretHash)) &&
      (sender === undefined || isSame(one.sender, sender)),
  );
  return swap === undefined ? cannot("There is no such active swap.") : then(swap);
}

const shown = (swap: Swap): Outcome => done({ secret_hash: swap.secretHash, phase: swap.phase });

const swapCommand = (
  name: string,
  means: string,
  run: (world: World, swap: Swap) => void,
): Command =>
  defineCommand(name, means, which, ({ world }, given) =>
    withSwap(world, given, (swap) => {
      run(world, swap);
      return shown(swap);
    }),
  );

const progress: readonly Command[] = [
  swapCommand("freeze_swap", "The swap is stuck: nothing more happens to it.", (world, swap) =>
    setSwapStuck(world, swap, true),
  ),
  swapCommand("release_swap", "The stuck swap goes on.", (world, swap) =>
    setSwapStuck(world, swap, false),
  ),
  swapCommand("expire_swap", "The lock expires now.", (world, swap) => endSwap(world, swap)),
  defineCommand(
    "settle_swap",
    "The swap is delivered and released, now; only if the simulator knows the secret.",
    which,
    ({ world }, given) =>
      withSwap(world, given, (swap) => {
        if (swap.secret === null) return cannot("The secret is not known; use redeem_swap.");
        if (swap.phase === "locked") {
          const problem = redeemSwap(world, swap, swap.secret);
          if (problem !== undefined) return cannot(problem);
        }
        settleSwap(world, swap);
        return shown(swap);
      }),
  ),
  defineCommand(
    "redeem_swap",
    "The sender takes delivery by revealing the secret; its keccak256 must be the secretHash.",
    { secret_hash: hash, secret: hash },
    ({ world }, given) =>
      withSwap(world, { secret_hash: given.secret_hash }, (swap) => {
        const problem = redeemSwap(world, swap, given.secret);
        return problem === undefined ? shown(swap) : cannot(problem);
      }),
  ),
];

export const swapCommands: readonly Command[] = [
  defineCommand(
    "start_swap",
    "A sender starts a swap whose secret the simulator knows. Amount in the source's native token.",
    {
      sender: senderAddress,
      source_network: source.optional(),
      amount: positive.optional(),
      secret: hash.optional(),
      stuck: z.boolean().optional(),
    },
    ({ world }, given) => {
      const { source_network: sourceNetwork, amount: sourceAmount, secret } = given;
      if (sourceNetwork === world.network) return cannot("That is this instance's own network.");
      if (secret !== undefined && world.swaps.has(hashSecret(secret)))
        return cannot("A swap was locked with this secret's hash already.");
      const swap = startOwnSwap(world, { ...given, sourceNetwork, sourceAmount });
      return swap === undefined ? cannot("No broker can deliver so much.") : shown(swap);
    },
  ),
  ...progress,
  defineCommand(
    "lock_on_source",
    "A lock is seen on a source chain; the lock order with its hash can then be submitted.",
    {
      secret_hash: hash,
      sender: senderAddress,
      source_network: source,
      amount: positive,
      expires_in: duration.optional(),
    },
    ({ world }, given) => {
      const key = given.secret_hash.toLowerCase();
      if (world.swaps.has(key)) return cannot("A swap was locked with this secretHash already.");
      world.sourceLocks.set(key, {
        sender: given.sender,
        sourceNetwork: given.source_network,
        amount: round(given.amount),
        expiresAt: world.now + (given.expires_in ?? LOCK_LIFE),
      });
      return done();
    },
  ),
  defineCommand(
    "add_sender",
    "One more sender, who swaps now and then.",
    { address: senderAddress },
    ({ world }, { address }) => {
      if (world.senders.some((one) => isSame(one, address)))
        return cannot("That sender is there already.");
      world.senders.push(address);
      if (world.settings.background) planSwaps(world, address);
      return done();
    },
  ),
  defineCommand(
    "set_balance",
    "How much of an asset a broker can deliver.",
    { broker: senderAddress, asset: z.string().min(1).max(20), amount: z.number().nonnegative() },
    ({ world }, given) => {
      const broker = world.brokers.find((one) => isSame(one.address, given.broker));
      if (broker === undefined) return cannot(`There is no broker ${given.broker}.`);
      broker.balances.set(given.asset, given.amount);
      return done();
    },
  ),
];
