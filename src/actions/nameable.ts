import { forbiddenCall } from "../aggregator/forbidden.ts";
import { encodeSegment } from "../aggregator/path-template.ts";

/**
 * Whether names that an aggregator gave can stand in a request. A request that could never be sent is not planned: it
 * would spend a budget and an attempt, and a hostile listing can hold any number of names such as `..`.
 */

/** Names of an exchange, or of an exchange and a pair, in a toggle. */
export function canBeToggled(names: readonly string[]): boolean {
  return canBeSent("POST", "/exchange/toggle", names);
}

/** The id of an order, in a forced cancellation. */
export function canBeForced(orderId: string): boolean {
  return canBeSent("DELETE", "/order/force", [orderId]);
}

function canBeSent(method: "POST" | "DELETE", path: string, names: readonly string[]): boolean {
  const segments: string[] = [];
  for (const name of names) {
    const segment = encodeSegment(name);
    if (!segment.ok) return false;
    segments.push(segment.value);
  }
  return forbiddenCall(method, `${path}/${segments.join("/")}`) === undefined;
}
