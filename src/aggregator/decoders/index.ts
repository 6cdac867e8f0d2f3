import type { ReadEndpoint } from "../endpoints.ts";
import { brokerBalancesSchema } from "./brokers.ts";
import { decoderOf } from "./decode.ts";
import { estimationsSchema, poolEstimationSchema } from "./estimations.ts";
import { disabledSchema, exchangesSchema, pairsSchema } from "./exchanges.ts";
import { pairConfigSchema, pairConfigsSchema, pairsDetailedSchema } from "./markets.ts";
import { orderSchema, ordersSchema } from "./orders.ts";
import { poolReservesSchema, reservesSchema } from "./pools.ts";
import type { MalformedEntries, SiftingDecoder } from "./malformed-entries.ts";
import { sifting } from "./malformed-entries.ts";
import { swapsSchema } from "./swaps.ts";

const PAIR_OF_EXCHANGE = { field: "assetPair", slash: true } as const;
const PAIR_OF_POOL = { field: "pair", slash: true } as const;

/** How each reply is read. The pollers and `probe` read by these alone. */
export const decoders = {
  order: decoderOf(orderSchema),
  futuresOrder: decoderOf(orderSchema),
  liquidation: decoderOf(orderSchema),
  ordersByStatus: decoderOf(ordersSchema),
  orderHistory: decoderOf(ordersSchema),
  futuresByStatus: decoderOf(ordersSchema),
  futuresHistory: decoderOf(ordersSchema),
  exchanges: sifting(decoderOf(exchangesSchema), [
    { list: null, names: [{ field: null, slash: false }] },
  ]),
  disabled: sifting(decoderOf(disabledSchema), [
    { list: "exchanges", names: [{ field: null, slash: false }] },
    { list: "pairs", names: [{ field: "exchange", slash: false }, PAIR_OF_EXCHANGE] },
  ]),
  pairs: decoderOf(pairsSchema),
  pairsDetailed: decoderOf(pairsDetailedSchema),
  exchangeInfo: decoderOf(pairConfigsSchema),
  pairInfo: decoderOf(pairConfigSchema),
  pairOnExchange: decoderOf(pairConfigSchema),
  reserves: sifting(decoderOf(reservesSchema), [
    { list: null, names: [{ field: "factory", slash: false }, PAIR_OF_POOL] },
  ]),
  poolReserves: decoderOf(poolReservesSchema),
  estimations: sifting(decoderOf(estimationsSchema), [
    { list: null, names: [{ field: "factory", slash: false }, PAIR_OF_POOL] },
  ]),
  poolEstimation: decoderOf(poolEstimationSchema),
  swapHistory: decoderOf(swapsSchema),
  activeSwaps: decoderOf(swapsSchema),
  brokerBalances: decoderOf(brokerBalancesSchema),
} as const satisfies Readonly<Record<ReadEndpoint, SiftingDecoder<unknown>>>;

type DecodedBy<Of> = Of extends SiftingDecoder<infer Value> ? Value : never;

/** What a reply of each endpoint is, once decoded. */
export type Decoded = { readonly [Name in ReadEndpoint]: DecodedBy<(typeof decoders)[Name]> };

/** A decoded reply, and which endpoint gave it. */
export type Reply = {
  [Name in ReadEndpoint]: {
    readonly endpoint: Name;
    readonly value: Decoded[Name];
    /** Entries that were left out. */
    readonly malformed?: MalformedEntries;
  };
}[ReadEndpoint];
