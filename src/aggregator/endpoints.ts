import type { ActEndpoint } from "../domain/action.ts";
import { ACT_ENDPOINTS } from "../domain/action.ts";
import type { EndpointDefinition } from "./endpoint-definition.ts";
import { readEndpoints } from "./read-endpoints.ts";

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
} as const satisfies Readonly<Record<ActEndpoint, EndpointDefinition>>;

export const endpoints = { ...readEndpoints, ...actEndpoints };

export type ReadEndpoint = keyof typeof readEndpoints;
export type EndpointName = ReadEndpoint | ActEndpoint;

export const ENDPOINT_NAMES = Object.keys(endpoints) as readonly EndpointName[];
export const READ_ENDPOINTS = Object.keys(readEndpoints) as readonly ReadEndpoint[];

export function isActEndpoint(name: EndpointName): name is ActEndpoint {
  return (ACT_ENDPOINTS as readonly string[]).includes(name);
}
