import type { Decoded } from "./decoders/index.ts";
import type { ReadEndpoint } from "./endpoints.ts";
import type { Args } from "./request.ts";

/**
 * What `aggwatch probe` asks: every read endpoint once, listings first, so that what they name can be
 * asked for by itself where the config names nothing.
 */
export type Known = {
  readonly exchange?: string | undefined;
  readonly pair?: string | undefined;
  readonly pool?: { readonly factory: string; readonly pair: string } | undefined;
  readonly sender?: string | undefined;
  readonly order?: string | undefined;
  readonly futuresOrder?: string | undefined;
  readonly liquidation?: string | undefined;
};

export type ProbeStep = {
  readonly endpoint: ReadEndpoint;
  /** Its arguments; undefined where one of them is not known. */
  readonly args: (known: Known) => Args | undefined;
  /** What is to be said where one is not known. */
  readonly lacks: string;
};

/** Small, so that a quote of it is cheap for the aggregator and makes sense for any asset. */
const SAMPLE = { amount: "1", side: "BUY" } as const;
const ONE_STATUS = { status: "NEW" } as const;
const SENDER = "no sender is known: give watch.senders";

export const PROBE_PLAN: readonly ProbeStep[] = [
  step("exchanges", () => ({})),
  step("disabled", () => ({})),
  step("pairs", () => ({})),
  step("pairsDetailed", () => ({})),
  step("exchangeInfo", ({ exchange }) => (exchange === undefined ? {} : { exchange })),
  step("pairInfo", ({ pair }) => pair && { pair }, "no pair is known: pairs/list names none"),
  step(
    "pairOnExchange",
    ({ pair, exchange }) => pair && exchange && { pair, exchange },
    "no pair or no exchange is known: the lists name none",
  ),
  step("reserves", () => ({})),
  step("poolReserves", ({ pool }) => pool, "no pool is known: give watch.pools"),
  step("estimations", () => SAMPLE),
  step(
    "poolEstimation",
    ({ pool }) => pool && { ...pool, ...SAMPLE },
    "no pool is known: give watch.pools",
  ),
  step("swapHistory", ({ sender }) => ({ ...(sender && { sender }), limit: "20" })),
  step("activeSwaps", ({ sender }) => sender && { sender }, SENDER),
  step("brokerBalances", () => ({})),
  step("ordersByStatus", () => ONE_STATUS),
  step("futuresByStatus", () => ONE_STATUS),
  step("orderHistory", ({ sender }) => sender && { address: sender, limit: "20" }, SENDER),
  step("futuresHistory", ({ sender }) => sender && { address: sender, limit: "20" }, SENDER),
  step("order", ({ order }) => order && { orderId: order }, "no order is known"),
  step("futuresOrder", ({ futuresOrder: id }) => id && { orderId: id }, "no order is known"),
  step(
    "liquidation",
    ({ liquidation }) => liquidation && { orderId: liquidation },
    "no liquidation order is known: give watch.liquidations",
  ),
];

function step(
  endpoint: ReadEndpoint,
  args: (known: Known) => Args | "" | undefined,
  lacks = "",
): ProbeStep {
  return { endpoint, args: (known) => args(known) || undefined, lacks };
}

/** What a decoded reply names is known from then on; what the config names stays. */
export function learn<Name extends ReadEndpoint>(
  known: Known,
  endpoint: Name,
  value: Decoded[Name],
): Known {
  const found = LEARNED[endpoint]?.(value) ?? {};
  const isNew = ([key, item]: [string, unknown]): boolean =>
    item !== undefined && known[key as keyof Known] === undefined;
  return { ...known, ...Object.fromEntries(Object.entries(found).filter(isNew)) };
}

const LEARNED: { readonly [Name in ReadEndpoint]?: (value: Decoded[Name]) => Known } = {
  exchanges: ([exchange]) => ({ exchange }),
  pairs: ([pair]) => ({ pair }),
  reserves: ([pool]) => ({ pool: pool && { factory: pool.factory, pair: pool.pair } }),
  swapHistory: ([swap]) => ({ sender: swap?.sender }),
  ordersByStatus: ([order]) => ({ order: order?.id }),
  futuresByStatus: ([order]) => ({ futuresOrder: order?.id }),
};
