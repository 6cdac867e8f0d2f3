import { z } from "zod";
import { identifierKey } from "../../domain/identifier.ts";
import { amount, instant, listing, name, optional } from "./fields.ts";

const orderFields = z.object(
  {
    id: name,
    status: name,
    assetPair: optional(name),
    side: optional(name),
    amount: optional(amount),
    remainingAmount: optional(amount),
    price: optional(amount),
    creationTime: optional(instant),
    updateTime: optional(instant),
  },
  "an order",
);

export type Order = z.infer<typeof orderFields>;

/** `order`, `futuresOrder`, `liquidation`: `{orderId, order}`, as a public client shows for `order`. */
export const orderSchema = z
  .object({ orderId: optional(name), order: orderFields }, "an object with order")
  .transform(({ orderId, order }, context): Order => {
    if (orderId === undefined || identifierKey(orderId) === identifierKey(order.id)) return order;
    context.addIssue({ code: "custom", message: "the id of the order inside", path: ["orderId"] });
    return z.NEVER;
  });

/** Lists of orders: a bare array of the same fields. */
export const ordersSchema = listing(orderFields, "a list of orders", (order) =>
  identifierKey(order.id),
);
