import { DAY, MINUTE, SECOND, type Instant } from "../../domain/time.ts";
import { round } from "./amounts.ts";
import { fractionOf, hashSecret, uuidOf } from "./hash.ts";
import { convert, LAYER_ONE, nativeOf } from "./networks.ts";
import { between, pick, randomHex } from "./random.ts";
import {
  forgetOldest,
  schedule,
  type Broker,
  type SourceLock,
  type Swap,
  type World,
} from "./world.ts";

/**
 * Atomic swaps. The sender locks tokens on the source chain under the hash of a secret; a broker sets aside tokens
 * here. Taking delivery here reveals the secret, and only with the secret can the broker release the tokens on the
 * source chain. If the secret is not revealed, the lock expires, and both keep their tokens.
 */

/** How long a lock lasts (the public client's EXPIRATION_DAYS). */
export const LOCK_LIFE = 4 * DAY;
/** How long delivery can be taken. It ends well before the lock expires. */
const REDEEM_LIFE = 2 * DAY;
const REMEMBERED_SWAPS = 1_000;

/** The last instant at which delivery can be taken: the expiration of the redeem order. */
export function redeemableUntil(swap: Swap): Instant {
  return Math.min(swap.createdAt + REDEEM_LIFE, swap.expiresAt);
}

export function isActive(swap: Swap): boolean {
  return swap.phase === "locked" || swap.phase === "delivered";
}

/** The lock on a source chain that a lock order names, if no command has defined it. It follows from the hash. */
export function lockFor(world: World, secretHash: string, sourceNetwork: string): SourceLock {
  const senders = world.senders;
  const sender = senders[Math.floor(fractionOf(`sender ${secretHash}`) * senders.length)];
  const worth = 0.05 + 0.95 * fractionOf(`amount ${secretHash}`);
  return {
    sender: sender ?? secretHash.slice(0, 42),
    sourceNetwork,
    amount: round(convert(worth, world.network, sourceNetwork)),
    expiresAt: world.now + LOCK_LIFE,
  };
}

/** A broker who can deliver this amount of this network's native token; undefined if there is none. */
export function brokerFor(world: World, amount: number): Broker | undefined {
  const native = nativeOf(world.network);
  return world.brokers.find((broker) => (broker.balances.get(native) ?? 0) >= amount);
}

/** Adds an amount, perhaps negative, to a broker's balance. */
function credit(world: World, address: string, asset: string, amount: number): void {
  const broker = world.brokers.find((one) => one.address === address);
  broker?.balances.set(asset, round((broker.balances.get(asset) ?? 0) + amount));
}

/** The swap that a lock order starts; it is not in the world yet. */
export function planSwap(world: World, secretHash: string, lock: SourceLock, broker: Broker): Swap {
  return {
    id: uuidOf(`swap ${secretHash}`),
    secretHash,
    sender: lock.sender,
    sourceNetwork: lock.sourceNetwork,
    sourceAmount: lock.amount,
    amount: round(convert(lock.amount, lock.sourceNetwork, world.network)),
    broker: broker.address,
    createdAt: world.now,
    expiresAt: lock.expiresAt,
    secret: null,
    phase: "locked",
    stuck: false,
    change: 0,
  };
}

/** Puts a planned swap into the world, and reserves the broker's tokens. */
export function beginSwap(world: World, swap: Swap): void {
  const key = swap.secretHash.toLowerCase();
  world.sourceLocks.delete(key);
  world.swaps.set(key, swap);
  credit(world, swap.broker, nativeOf(world.network), -swap.amount);
  scheduleNext(world, swap);
  forgetOldest(world.swaps, REMEMBERED_SWAPS, (one) => !isActive(one));
}

/** Schedules the next phase; or the expiry, if the swap is stuck, its secret is unknown or delivery is too late. */
function scheduleNext(world: World, swap: Swap): void {
  if (!isActive(swap)) return;
  const task = { id: swap.secretHash.toLowerCase(), change: swap.change };
  const late = swap.phase === "locked" && world.now > redeemableUntil(swap);
  if (swap.stuck || swap.secret === null || late) {
    const at = Math.max(swap.expiresAt, world.now);
    return schedule(world, { ...task, at, kind: "swap_expiry" });
  }
  const at = world.now + Math.round(between(world.random, 8, 25) * SECOND);
  return schedule(world, { ...task, at, kind: "swap" });
}

/** Delivers a swap, or settles a delivered one, unless the swap has changed since this was scheduled. */
export function advanceSwap(world: World, key: string, change: number): void {
  const swap = world.swaps.get(key);
  if (swap === undefined || swap.change !== change || swap.stuck || swap.secret === null) return;
  if (swap.phase === "delivered") return settleSwap(world, swap);
  if (redeemSwap(world, swap, swap.secret) !== undefined) scheduleNext(world, swap);
}

/** The sender takes delivery by revealing the secret. Gives the reason if this is refused. */
export function redeemSwap(world: World, swap: Swap, secret: string): string | undefined {
  if (hashSecret(secret) !== swap.secretHash.toLowerCase())
    return "keccak256 of this secret is not the swap's secretHash.";
  if (swap.phase !== "locked") return "The swap was delivered already.";
  if (world.now > redeemableUntil(swap)) return "The time to take delivery is over.";
  swap.secret = secret;
  swap.phase = "delivered";
  swap.change += 1;
  scheduleNext(world, swap);
  return undefined;
}

/** The broker releases the lock with the revealed secret. Does nothing unless the swap is delivered. */
export function settleSwap(world: World, swap: Swap): void {
  if (swap.phase !== "delivered") return;
  swap.phase = "settled";
  swap.change += 1;
  credit(world, swap.broker, nativeOf(swap.sourceNetwork), swap.sourceAmount);
  // The broker sells the released tokens 5 minutes later, so that its liquidity here comes back.
  schedule(world, {
    at: world.now + 5 * MINUTE,
    kind: "rebalance",
    id: `${swap.broker} ${swap.sourceNetwork}`,
    amount: swap.sourceAmount,
  });
}

export function expireSwap(world: World, key: string, change: number): void {
  const swap = world.swaps.get(key);
  if (swap?.change === change) endSwap(world, swap);
}

/** Ends the lock: a delivered swap settles; a locked one expires, and both keep their tokens. */
export function endSwap(world: World, swap: Swap): void {
  if (swap.phase === "delivered") settleSwap(world, swap);
  if (swap.phase !== "locked") return;
  swap.phase = "expired";
  swap.change += 1;
  credit(world, swap.broker, nativeOf(world.network), swap.amount);
}

export function rebalance(world: World, id: string, amount: number): void {
  const [address = "", network = ""] = id.split(" ");
  credit(world, address, nativeOf(network), -amount);
  credit(world, address, nativeOf(world.network), convert(amount, network, world.network));
}

export function setSwapStuck(world: World, swap: Swap, stuck: boolean): void {
  swap.stuck = stuck;
  swap.change += 1;
  scheduleNext(world, swap);
}

type OwnSwap = {
  readonly sender: string;
  readonly sourceNetwork?: string | undefined;
  /** In the source network's native token. */
  readonly sourceAmount?: number | undefined;
  readonly secret?: string | undefined;
  readonly stuck?: boolean | undefined;
};

/** Starts a swap whose secret is known. Undefined if no broker can deliver it, or a swap has the secret already. */
export function startOwnSwap(world: World, asked: OwnSwap): Swap | undefined {
  const secret = asked.secret ?? randomHex(world.random, 64);
  const others = LAYER_ONE.filter((code) => code !== world.network);
  const sourceNetwork = asked.sourceNetwork ?? pick(world.random, others) ?? "ETH";
  const drawn = convert(between(world.random, 0.1, 2), world.network, sourceNetwork);
  const amount = asked.sourceAmount ?? round(drawn);
  const broker = brokerFor(world, round(convert(amount, sourceNetwork, world.network)));
  const secretHash = hashSecret(secret);
  if (broker === undefined || world.swaps.has(secretHash)) return undefined;
  const expiresAt = world.now + LOCK_LIFE;
  const lock: SourceLock = { sender: asked.sender, sourceNetwork, amount, expiresAt };
  const swap = planSwap(world, secretHash, lock, broker);
  swap.secret = secret;
  swap.stuck = asked.stuck ?? false;
  beginSwap(world, swap);
  return swap;
}
