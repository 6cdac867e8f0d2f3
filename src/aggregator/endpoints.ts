import type { ActEndpoint } from "../domain/action.ts";
import { ACT_ENDPOINTS } from "../domain/action.ts";
import type { HttpMethod, Purpose } from "../domain/http.ts";
import type { Json } from "../domain/result.ts";

/**
 * The watched interface as data: every call that aggwatch can make, and no other. There is no word
 * here for an order placement, a cancel, a lock order or a toggle's DELETE.
 */

/**
 * Who states it: `I` the interface's own description, `C` a public client of such a service, `A` our
 * assumption. Every one of them is a setting (`wire.<endpoint>`).
 */
export type Provenance = "I" | "C" | "A";

export type EndpointDefinition = {
  readonly purpose: Purpose;
  readonly method: HttpMethod;
  /** Relative to the base URL. A segment is either literal or one whole `{arg}`. */
  readonly path: string;
  /** Values may hold `{arg}`. A key whose optional argument is not given is left out. */
  readonly query?: Readonly<Record<string, string>>;
  /** JSON; texts may hold `{arg}`, and the text `{arg:number}` becomes a number. */
  readonly body?: Json;
  readonly args: readonly string[];
  readonly optionalArgs?: readonly string[];
  readonly statedBy: Provenance;
  /** One line for docs/aggregator.md: what it is asked for, and what is assumed. */
  readonly why: string;
};

/** Reads and acts; the endpoints that act are those of `ACT_ENDPOINTS`, by type and by test. */
export const endpoints = {
  order: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/order",
    query: { orderId: "{orderId}", owner: "{owner}" },
    args: ["orderId"],
    optionalArgs: ["owner"],
    statedBy: "C",
    why: "Status of a spot order, addressed by its id and its owner.",
  },
  futuresOrder: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/order/futures",
    query: { orderId: "{orderId}", owner: "{owner}" },
    args: ["orderId"],
    optionalArgs: ["owner"],
    statedBy: "A",
    why: "Status of a futures order; by analogy with `order`.",
  },
  ordersByStatus: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/order/status",
    query: { status: "{status}" },
    args: ["status"],
    statedBy: "A",
    why: "Spot orders by status, at most 20 (I); the parameter's name is assumed.",
  },
  liquidation: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/order/liquidation",
    query: { orderId: "{orderId}" },
    args: ["orderId"],
    statedBy: "A",
    why: "Status of a liquidation order; by analogy with `order`.",
  },
  orderHistory: {
    purpose: "read",
    method: "POST",
    path: "/api/v1/order/history",
    body: {
      address: "{address}",
      baseAsset: "{baseAsset}",
      quoteAsset: "{quoteAsset}",
      startTime: "{startTime:number}",
      endTime: "{endTime:number}",
      limit: "{limit:number}",
    },
    args: ["address"],
    optionalArgs: ["baseAsset", "quoteAsset", "startTime", "endTime", "limit"],
    statedBy: "A",
    why: "Spot orders by criteria. The reply is shown by a client (C), the body is assumed.",
  },
  futuresByStatus: {
    purpose: "read",
    method: "POST",
    path: "/api/v1/order/futures/status",
    body: { status: "{status}" },
    args: ["status"],
    statedBy: "A",
    why: "Futures orders by state, at most 20 (I); the body is assumed.",
  },
  futuresHistory: {
    purpose: "read",
    method: "POST",
    path: "/api/v1/order/futures/history",
    body: {
      address: "{address}",
      baseAsset: "{baseAsset}",
      quoteAsset: "{quoteAsset}",
      startTime: "{startTime:number}",
      endTime: "{endTime:number}",
      limit: "{limit:number}",
    },
    args: ["address"],
    optionalArgs: ["baseAsset", "quoteAsset", "startTime", "endTime", "limit"],
    statedBy: "A",
    why: "Futures orders by criteria; by analogy with `orderHistory`.",
  },
  exchanges: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/exchange/list",
    args: [],
    statedBy: "C",
    why: "Accessible exchanges. That a disabled one is not among them is assumed.",
  },
  disabled: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/exchange/disabled",
    args: [],
    statedBy: "A",
    why: "Disabled exchanges, and pairs disabled on an exchange; the shape is assumed.",
  },
  pairs: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/pairs/list",
    args: [],
    statedBy: "C",
    why: "Names of all asset pairs.",
  },
  pairsDetailed: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/pairs/list/detailed",
    args: [],
    statedBy: "A",
    why: "Pairs with price and volume (I); the names of the fields are assumed.",
  },
  exchangeInfo: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/pairs/exchangeInfo",
    query: { exchange: "{exchange}" },
    args: [],
    optionalArgs: ["exchange"],
    statedBy: "C",
    why: "Settings of the pairs of an exchange; that the exchange is a query is assumed.",
  },
  pairInfo: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/pairs/exchangeInfo/{pair}",
    args: ["pair"],
    statedBy: "C",
    why: "Settings of one pair: one object, although the text says across all exchanges.",
  },
  pairOnExchange: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/pairs/exchangeInfo/{pair}/{exchange}",
    args: ["pair", "exchange"],
    statedBy: "A",
    why: "Settings of one pair on one exchange; the reply is assumed.",
  },
  reserves: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/pools/reservations",
    args: [],
    statedBy: "A",
    why: "Reserves of all pools. The fields are shown by a client (C), the list is assumed.",
  },
  poolReserves: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/pools/reservations/{factory}/{pair}",
    args: ["factory", "pair"],
    statedBy: "C",
    why: "Reserves of one pool; one client spells the path `pools/reserves/{factory}/{pair}`.",
  },
  estimations: {
    purpose: "read",
    method: "POST",
    path: "/api/v1/pools/estimation",
    body: { amount: "{amount:number}", side: "{side}" },
    args: ["amount", "side"],
    statedBy: "A",
    why: "Estimations for all pools; body and reply are assumed.",
  },
  poolEstimation: {
    purpose: "read",
    method: "POST",
    path: "/api/v1/pools/estimation/{factory}/{pair}",
    body: { amount: "{amount:number}", side: "{side}" },
    args: ["factory", "pair", "amount", "side"],
    statedBy: "A",
    why: "Estimation for one pool; body and reply are assumed.",
  },
  swapHistory: {
    purpose: "read",
    method: "GET",
    path: "atomic-swap/api/v1/history/all",
    query: { sender: "{sender}", limit: "{limit}" },
    args: [],
    optionalArgs: ["sender", "limit"],
    statedBy: "I",
    why: "All swaps, the path exactly so (I); a client asks `/api/v1/atomic-swap/history/all`.",
  },
  activeSwaps: {
    purpose: "read",
    method: "GET",
    path: "/api/v1/atomic-swap/history/current",
    query: { sender: "{sender}" },
    args: ["sender"],
    statedBy: "A",
    why: "Active swaps of one sender; the reply is assumed by analogy with the history.",
  },
  brokerBalances: {
    purpose: "read",
    method: "POST",
    path: "/api/v1/atomic-swap/balances",
    body: {},
    args: [],
    statedBy: "A",
    why: "Tradable balances of the brokers; body and reply are assumed.",
  },
  enableExchange: {
    purpose: "act",
    method: "POST",
    path: "/api/v1/exchange/toggle/{exchange}",
    args: ["exchange"],
    statedBy: "A",
    why: "Enables a disabled exchange (I); that the name is one path segment is assumed.",
  },
  enablePair: {
    purpose: "act",
    method: "POST",
    path: "/api/v1/exchange/toggle/{exchange}/{assetPair}",
    args: ["exchange", "assetPair"],
    statedBy: "A",
    why: "Enables a disabled pair on an exchange (I); the two path segments are assumed.",
  },
  forceCancel: {
    purpose: "act",
    method: "DELETE",
    path: "/api/v1/order/force/{orderId}",
    args: ["orderId"],
    statedBy: "A",
    why: "Cancels an order by force (I), with adequate authority; the path segment is assumed.",
  },
} as const satisfies Readonly<Record<string, EndpointDefinition>>;

export type EndpointName = keyof typeof endpoints;
export type ReadEndpoint = Exclude<EndpointName, ActEndpoint>;

export const ENDPOINT_NAMES = Object.keys(endpoints) as readonly EndpointName[];

export function isActEndpoint(name: EndpointName): name is ActEndpoint {
  return (ACT_ENDPOINTS as readonly string[]).includes(name);
}

export const READ_ENDPOINTS: readonly ReadEndpoint[] = ENDPOINT_NAMES.filter(
  (name): name is ReadEndpoint => !isActEndpoint(name),
);
