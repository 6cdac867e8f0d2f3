import { z } from "zod";
import type { ReadEndpoint } from "../endpoints.ts";
import { decoderOf } from "./decode.ts";
import { disabledSchema, exchangesSchema, pairsSchema } from "./exchanges.ts";
import { orderSchema, ordersSchema } from "./orders.ts";
import { poolReservesSchema, reservesSchema } from "./pools.ts";
import type { OddEntries, SiftingDecoder } from "./odd-entries.ts";
import { sifting } from "./odd-entries.ts";
import { swapsSchema } from "./swaps.ts";

/** No poller reads it yet: any JSON will do, and nothing is concluded from it. */
const anyJson = decoderOf(z.unknown());

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
  pairsDetailed: anyJson,
  exchangeInfo: anyJson,
  pairInfo: anyJson,
  pairOnExchange: anyJson,
  reserves: sifting(decoderOf(reservesSchema), [
    { list: null, names: [{ field: "factory", slash: false }, PAIR_OF_POOL] },
  ]),
  poolReserves: decoderOf(poolReservesSchema),
  estimations: anyJson,
  poolEstimation: anyJson,
  swapHistory: decoderOf(swapsSchema),
  activeSwaps: decoderOf(swapsSchema),
  brokerBalances: anyJson,
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
    readonly odd?: OddEntries;
  };
}[ReadEndpoint];
