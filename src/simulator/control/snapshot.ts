import type { Json } from "../../domain/result.ts";
import type { Fault } from "../routes/faults.ts";
import { FINAL } from "../model/orders.ts";
import { isActive } from "../model/swaps.ts";
import type { World } from "../model/world.ts";

/** The state as `GET /_sim/state` shows it: open orders, active swaps, faults, and the rest of the world. */
export function snapshotOf(world: World, faults: readonly Fault[]) {
  const orders = [...world.orders.values()];
  const shown = orders.filter((one) => one.type === "liquidation" || !FINAL.has(one.status));
  const swaps = [...world.swaps.values()];
  const kept = (left: number): number | null => (Number.isFinite(left) ? left : null);
  return {
    now: world.now,
    started_at: world.startedAt,
    network: world.network,
    exchanges: [...world.exchanges.values()].map((exchange) => ({
      name: exchange.name,
      enabled: exchange.enabled,
      disabled_pairs: [...exchange.disabledPairs],
      flapping: world.flapping.has(exchange.name),
    })),
    pools: [...world.pools.values()].map((pool) => ({ ...pool })),
    /** All liquidation orders, and all other orders that are not final. */
    orders: shown.map(({ id, type, owner, pair, status, stuck }) => ({
      id,
      type,
      owner,
      pair,
      status,
      stuck,
    })),
    order_count: orders.length,
    swaps: swaps.filter(isActive).map((swap) => ({
      secret_hash: swap.secretHash,
      secret: swap.secret,
      sender: swap.sender,
      phase: swap.phase,
      stuck: swap.stuck,
    })),
    swap_count: swaps.length,
    senders: [...world.senders],
    brokers: world.brokers.map((broker) => ({
      address: broker.address,
      balances: Object.fromEntries(broker.balances),
    })),
    faults: faults.map(({ endpoint, plan, left }) => ({
      endpoint,
      fault: { ...plan } as { [key: string]: Json },
      times: kept(left),
    })),
  };
}
