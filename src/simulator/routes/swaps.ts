import * as z from "zod";
import { answer, refuse, type Answer } from "./answer.ts";
import { round } from "../model/amounts.ts";
import { hash } from "../model/world-plan.ts";
import { convert, LAYER_ONE, NETWORKS } from "../model/networks.ts";
import { read, withBody, withQuery, write, type Route } from "./routes.ts";
import { redeemOrderView, swapView } from "./swap-view.ts";
import { beginSwap, brokerFor, isActive, lockFor, planSwap } from "../model/swaps.ts";
import type { SourceLock, Swap, World } from "../model/world.ts";

/** The atomic swap area. */

const lockBody = z.object({
  secretHash: hash,
  sourceNetworkCode: z.string(),
});

/** Only native tokens of layer-1 networks can be swapped, so only such a network can be the source. */
function checkNetwork(world: World, code: string): Answer | undefined {
  const refused = (reason: string): Answer => refuse(400, "network_refused", reason);
  const network = NETWORKS.get(code);
  if (network === undefined) {
    const known = NETWORKS.has(code.toUpperCase()) ? " Codes are upper case." : "";
    return refused(`sourceNetworkCode must be one of ${LAYER_ONE.join(", ")}.${known}`);
  }
  if (network.layer !== 1)
    return refused(`${code} is a layer-2 network; only layer-1 networks' native tokens swap.`);
  if (code === world.network) return refused(`${code} is this instance's own network, the target.`);
  return undefined;
}

function findLock(world: World, secretHash: string, code: string): SourceLock | Answer {
  const seen = world.sourceLocks.get(secretHash.toLowerCase());
  if (seen?.sourceNetwork === code) return seen;
  if (seen !== undefined || world.settings.needsSourceLock)
    return refuse(404, "lock_not_seen", `No lock of this hash was seen on ${code} yet.`);
  return lockFor(world, secretHash, code);
}

const lockSwap = withBody(lockBody, ({ secretHash, sourceNetworkCode }, { world }) => {
  const refused = checkNetwork(world, sourceNetworkCode);
  if (refused !== undefined) return refused;
  if (world.swaps.has(secretHash.toLowerCase()))
    return refuse(409, "already_locked", "A swap was locked with this secretHash already.");
  const lock = findLock(world, secretHash, sourceNetworkCode);
  if ("status" in lock) return lock;
  const needed = round(convert(lock.amount, sourceNetworkCode, world.network));
  const broker = brokerFor(world, needed);
  if (broker === undefined)
    return refuse(422, "no_liquidity", `No broker has ${needed} to deliver just now.`);
  const swap = planSwap(world, secretHash, lock, broker);
  const redeemOrder = redeemOrderView(swap, world.network);
  return answer({ secretHash, sender: swap.sender, redeemOrder }, () => beginSwap(world, swap));
});

const historyQuery = z.object({
  sender: z.string().optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "must be a whole number of at least 1")
    .default("1000"),
});
const activeQuery = z.object({ sender: z.string("is required").min(1, "is required") });

/** The swaps of a sender, newest first. The case of addresses makes no difference. */
function swapsOf(swaps: readonly Swap[], sender: string | undefined): Swap[] {
  const wanted = sender?.toLowerCase();
  return swaps
    .filter((swap) => wanted === undefined || swap.sender.toLowerCase() === wanted)
    .reverse();
}

const swapHistory = withQuery(historyQuery, ({ sender, limit }, { world }) => {
  const found = swapsOf([...world.swaps.values()], sender).slice(0, Number(limit));
  return answer(found.map((swap) => swapView(swap, world.network)));
});

const activeSwaps = withQuery(activeQuery, ({ sender }, { world }) => {
  // Most swaps are over, and their addresses need not be compared.
  const active = swapsOf([...world.swaps.values()].filter(isActive), sender);
  return answer(active.map((swap) => swapView(swap, world.network)));
});

const brokerBalances = withBody(z.object({}), (_, { world }) =>
  answer(
    world.brokers.flatMap((broker) =>
      [...broker.balances].map(([asset, amount]) => ({ broker: broker.address, asset, amount })),
    ),
  ),
);

const AREA = "/api/v1/atomic-swap";
/** The first is the interface's own, unusual path; the second is the public SDK's. */
const HISTORY = ["/atomic-swap/api/v1/history/all", `${AREA}/history/all`];

export const swapRoutes: readonly Route[] = [
  write("lockSwap", "POST", AREA, "user", lockSwap),
  read("swapHistory", "GET", HISTORY, [], swapHistory),
  read("activeSwaps", "GET", `${AREA}/history/current`, [], activeSwaps),
  read("brokerBalances", "POST", `${AREA}/balances`, [], brokerBalances),
];
