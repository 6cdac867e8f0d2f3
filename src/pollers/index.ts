import { brokersPoller } from "./brokers.ts";
import { estimationsPoller } from "./estimations.ts";
import { exchangesPoller } from "./exchanges.ts";
import { liquidationsPoller } from "./liquidations.ts";
import { marketsPoller } from "./markets.ts";
import type { Poller } from "./poller.ts";
import { ordersPoller } from "./orders.ts";
import { poolsPoller } from "./pools.ts";
import { swapHistoryPoller } from "./swap-history.ts";
import { swapsPoller } from "./swaps.ts";

export { kinds } from "./kinds.ts";

/** Every poller. Config keys, default schedules, labels and docs derive from this list. */
export const pollers: readonly Poller[] = [
  exchangesPoller,
  liquidationsPoller,
  poolsPoller,
  swapsPoller,
  marketsPoller,
  estimationsPoller,
  brokersPoller,
  swapHistoryPoller,
  ordersPoller,
];

export const pollersByName: ReadonlyMap<string, Poller> = new Map(
  pollers.map((poller) => [poller.name, poller]),
);
