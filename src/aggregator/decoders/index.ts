import { z } from "zod";
import type { ReadEndpoint } from "../endpoints.ts";
import type { Decoder } from "./decode.ts";
import { decoderOf } from "./decode.ts";
import { disabledSchema, exchangesSchema, pairsSchema } from "./exchanges.ts";
import { orderSchema, ordersSchema } from "./orders.ts";
import { poolReservesSchema, reservesSchema } from "./pools.ts";
import { swapsSchema } from "./swaps.ts";

/** No poller reads it yet: any JSON will do, and nothing is concluded from it. */
const anyJson = decoderOf(z.unknown());

/** How each reply is read. The pollers and `probe` read by these alone. */
export const decoders = {
  order: decoderOf(orderSchema),
  futuresOrder: decoderOf(orderSchema),
  liquidation: decoderOf(orderSchema),
  ordersByStatus: decoderOf(ordersSchema),
  orderHistory: decoderOf(ordersSchema),
  futuresByStatus: decoderOf(ordersSchema),
  futuresHistory: decoderOf(ordersSchema),
  exchanges: decoderOf(exchangesSchema),
  disabled: decoderOf(disabledSchema),
  pairs: decoderOf(pairsSchema),
  pairsDetailed: anyJson,
  exchangeInfo: anyJson,
  pairInfo: anyJson,
  pairOnExchange: anyJson,
  reserves: decoderOf(reservesSchema),
  poolReserves: decoderOf(poolReservesSchema),
  estimations: anyJson,
  poolEstimation: anyJson,
  swapHistory: decoderOf(swapsSchema),
  activeSwaps: decoderOf(swapsSchema),
  brokerBalances: anyJson,
} as const satisfies Readonly<Record<ReadEndpoint, Decoder<unknown>>>;

type DecodedBy<Of> = Of extends Decoder<infer Value> ? Value : never;

/** What a reply of each endpoint is, once decoded. */
export type Decoded = { readonly [Name in ReadEndpoint]: DecodedBy<(typeof decoders)[Name]> };

/** A decoded reply, and which endpoint gave it. */
export type Reply = {
  [Name in ReadEndpoint]: { readonly endpoint: Name; readonly value: Decoded[Name] };
}[ReadEndpoint];
