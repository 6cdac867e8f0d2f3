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

const POLLERS = [
  exchangesPoller,
  liquidationsPoller,
  poolsPoller,
  swapsPoller,
  marketsPoller,
  estimationsPoller,
  brokersPoller,
  swapHistoryPoller,
  ordersPoller,
] as const;

export type PollerName = (typeof POLLERS)[number]["name"];

/**
 * Every poller. Config keys, default schedules, kinds, watch lists, metrics labels and docs derive from
 * this list.
 */
export const pollers: readonly Poller<PollerName>[] = POLLERS;

const [FIRST, ...OTHERS] = POLLERS;

export const POLLER_NAMES: readonly [PollerName, ...PollerName[]] = [
  FIRST.name,
  ...OTHERS.map(({ name }) => name),
];

export const pollersByName: ReadonlyMap<string, Poller> = new Map(
  pollers.map((poller) => [poller.name, poller]),
);

/** The poller that gives a kind; undefined for a kind that the core gives itself. */
export function pollerOfKind(kind: string): Poller<PollerName> | undefined {
  return pollers.find(({ kinds }) => kinds.some((definition) => definition.kind === kind));
}
