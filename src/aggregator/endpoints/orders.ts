import { z } from "zod";
import { identifierKey } from "../../domain/identifier.ts";
import { decoderOf } from "../decoding/decode.ts";
import { amount, name, optional } from "../decoding/fields.ts";
import { listing } from "../decoding/listing.ts";
import { byUnit } from "../decoding/instants.ts";
import type { Instant } from "../../domain/time.ts";
import { LIMITED, read, type ProbeKnowledge, type ReplyShape } from "./definition.ts";
import { NO_SENDER } from "./swaps.ts";

const orderWith = (instant: z.ZodType<Instant>) =>
  z.object(
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
export type Order = z.infer<ReturnType<typeof orderWith>>;

/** `{orderId, order}`, as a public client shows for `order`. */
const decodeOrder = byUnit((instant) =>
  decoderOf(
    z
      .object({ orderId: optional(name), order: orderWith(instant) }, "an object with order")
      .transform(({ orderId, order: inner }, context): Order => {
        if (orderId === undefined || identifierKey(orderId) === identifierKey(inner.id))
          return inner;
        const message = "the id of the order inside";
        context.addIssue({ code: "custom", message, path: ["orderId"] });
        return z.NEVER;
      }),
  ),
);

/** Repetitions are kept, as a list that is full of them is full: there may be more orders. */
const decodeOrders = byUnit((instant) =>
  decoderOf(listing(orderWith(instant), "a list of orders", ({ id }) => identifierKey(id), "kept")),
);

const ORDER = {
  id: "0xab…",
  status: "ACCEPTED",
  assetPair: "ORN-USDT",
  side: "BUY",
  amount: 10,
  remainingAmount: 4,
  price: 0.52,
  creationTime: 1700000000000,
  updateTime: 1700000060000,
};
const LIST = { example: [ORDER], required: ["[]", "[].id", "[].status"] };
const ORDER_REPLY: ReplyShape = {
  example: { orderId: "0xab…", order: ORDER },
  required: ["order", "order.id", "order.status"],
  statedBy: "C",
  notes:
    "A client shows these fields of an order (C). Clients suggest that amounts are in units of the base asset, and times in milliseconds (A). Shown for `order`; assumed by analogy for the others (A). The two ids and the requested id must be the same.",
};
const BY_STATUS_REPLY: ReplyShape = {
  ...LIST,
  statedBy: "A",
  notes:
    "A bare list of orders, as in the history (A), at most 20 (I). A list of 20 may be incomplete, so absent orders are unknown. A status other than the requested one is a mismatch.",
};
const HISTORY_REPLY: ReplyShape = {
  ...LIST,
  statedBy: "C",
  notes: "A bare list of orders (C for `orderHistory`, A for `futuresHistory`).",
};

/** What the endpoints of one order, of orders by status, and of an owner's orders have in common. */
const SINGLE = {
  query: { orderId: "{orderId}", owner: "{owner}" },
  args: ["orderId"],
  optionalArgs: ["owner"],
  decode: decodeOrder,
  reply: ORDER_REPLY,
  // A listing does not name an order's owner, and an order is addressed by both.
  probeArgs: () => undefined,
  lacks: "no order and its owner are known: give watch.orders",
};
const BY_STATUS = {
  args: ["status"],
  statedBy: "A",
  decode: decodeOrders,
  reply: BY_STATUS_REPLY,
  probeArgs: () => ({ status: "NEW" }),
} as const;
const HISTORY = {
  method: "POST",
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
  ignore: LIMITED,
  statedBy: "A",
  decode: decodeOrders,
  reply: HISTORY_REPLY,
  probeArgs: ({ sender }: ProbeKnowledge) => sender && { address: sender, limit: "20" },
  lacks: NO_SENDER,
} as const;

export const orderEndpoints = {
  ordersByStatus: read({
    ...BY_STATUS,
    path: "/api/v1/order/status",
    query: { status: "{status}" },
    why: "Spot orders by status, at most 20 (I); the parameter's name is assumed.",
  }),
  futuresByStatus: read({
    ...BY_STATUS,
    method: "POST",
    path: "/api/v1/order/futures/status",
    body: { status: "{status}" },
    why: "Futures orders by state, at most 20 (I); the body is assumed.",
  }),
  orderHistory: read({
    ...HISTORY,
    path: "/api/v1/order/history",
    why: "Spot orders by criteria. The reply is shown by a client (C), the body is assumed.",
  }),
  futuresHistory: read({
    ...HISTORY,
    path: "/api/v1/order/futures/history",
    why: "Futures orders by criteria; by analogy with `orderHistory`.",
  }),
  order: read({
    ...SINGLE,
    path: "/api/v1/order",
    statedBy: "C",
    why: "Status of a spot order, addressed by its id and its owner.",
  }),
  futuresOrder: read({
    ...SINGLE,
    path: "/api/v1/order/futures",
    statedBy: "A",
    why: "Status of a futures order; by analogy with `order`.",
  }),
  liquidation: read({
    path: "/api/v1/order/liquidation",
    query: { orderId: "{orderId}" },
    args: ["orderId"],
    statedBy: "A",
    why: "Status of a liquidation order; by analogy with `order`.",
    decode: decodeOrder,
    reply: ORDER_REPLY,
    probeArgs: ({ liquidation: id }) => id && { orderId: id },
    lacks: "no liquidation order is known: give watch.liquidations",
  }),
};
