import type { ActEndpoint } from "../../domain/action.ts";
import type { Doubt } from "../../domain/observation.ts";
import type { MalformedEntries } from "../decoding/malformed-entries.ts";
import type { EndpointDefinition, ReadDefinition } from "./definition.ts";
import { exchangeEndpoints } from "./exchanges.ts";
import { marketEndpoints } from "./markets.ts";
import { orderEndpoints } from "./orders.ts";
import { poolEndpoints } from "./pools.ts";
import { swapEndpoints } from "./swaps.ts";

/**
 * The watched interface as data: every call that aggwatch can make, and no other. There is no word
 * here for an order placement, a cancel, a lock order or a toggle's DELETE.
 */
const actEndpoints = {
  enableExchange: {
    purpose: "act",
    method: "POST",
    path: "/api/v1/exchange/toggle/{exchange}",
    args: ["exchange"],
    statedBy: "A",
    why: "Enables a disabled exchange (I); the path segment is assumed.",
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
    why: "Force-cancels an order (I), with adequate authority; the path segment is assumed.",
  },
} as const satisfies Readonly<Record<ActEndpoint, EndpointDefinition>>;

/** Every endpoint that is read; `aggwatch probe` tries them in this order, so listings come first. */
export const readEndpoints = {
  ...exchangeEndpoints,
  ...marketEndpoints,
  ...poolEndpoints,
  ...swapEndpoints,
  ...orderEndpoints,
};

export const endpoints = { ...readEndpoints, ...actEndpoints };

export type ReadEndpoint = keyof typeof readEndpoints;
export type EndpointName = ReadEndpoint | ActEndpoint;

export const ENDPOINT_NAMES = Object.keys(endpoints) as readonly EndpointName[];
export const READ_ENDPOINTS = Object.keys(readEndpoints) as readonly ReadEndpoint[];

type ValueOf<Definition> = Definition extends ReadDefinition<infer Value> ? Value : never;

/** What a reply of each endpoint is, once decoded. */
export type Decoded = { readonly [Name in ReadEndpoint]: ValueOf<(typeof readEndpoints)[Name]> };

/** A decoded reply, and which endpoint gave it. */
export type Reply = {
  [Name in ReadEndpoint]: {
    readonly endpoint: Name;
    readonly value: Decoded[Name];
    /** Entries that were left out. */
    readonly malformed?: MalformedEntries;
    /** What it says against acting on it. */
    readonly doubt?: Doubt | undefined;
  };
}[ReadEndpoint];
