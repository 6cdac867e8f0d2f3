import type { Action } from "../domain/action.ts";
import { callOf } from "./call.ts";

/** Reached if the order's status is a final one. An unknown status word says nothing. */
export const forceCancelOrder = {
  name: "force_cancel_order",
  kind: "liquidation",
  means: "Cancels a liquidation order by force; it cannot be undone.",
  irreversible: true,
  call: ({ facts: { order_id: orderId } }) => callOf("forceCancel", { orderId }),
  aim: (entity) => {
    const final = entity?.facts["final"];
    if (typeof final !== "boolean") return "unknown";
    return final ? "reached" : "open";
  },
} as const satisfies Action;
