import { z } from "zod";
import { identifierKey } from "../../domain/identifier.ts";
import { decoderOf } from "../decoding/decode.ts";
import { amount, name, nameWithoutSlash, optional } from "../decoding/fields.ts";
import { listing } from "../decoding/listing.ts";
import { byUnit } from "../decoding/instants.ts";
import type { Instant } from "../../domain/time.ts";
import { LIMITED, read, type ReplyShape } from "./definition.ts";

const swapWith = (instant: z.ZodType<Instant>) =>
  z.object(
    {
      sender: name,
      status: name,
      creationTime: optional(instant),
      lockOrder: z.object(
        {
          secretHash: name,
          asset: optional(name),
          amount: optional(amount),
          expiration: optional(instant),
          used: optional(z.boolean("true or false")),
          sourceNetworkCode: optional(name),
        },
        "a lock order",
      ),
      /** The broker's side: what is delivered on this network. */
      redeemOrder: optional(
        z.object({ asset: optional(name), amount: optional(amount) }, "a redeem order"),
      ),
    },
    "a swap",
  );
export type Swap = z.infer<ReturnType<typeof swapWith>>;

/** Secret hashes are compared in lower case, and there is one lock for each: one listed twice is a mismatch. */
const decodeSwaps = byUnit((instant) =>
  decoderOf(
    listing(swapWith(instant), "a list of swaps", (item) =>
      identifierKey(item.lockOrder.secretHash),
    ),
  ),
);

const SWAPS_REPLY: ReplyShape = {
  example: [
    {
      sender: "0x8a…",
      status: "ACTIVE",
      creationTime: 1700000000000,
      lockOrder: {
        secretHash: "0xcd…",
        asset: "ETH",
        amount: 1.5,
        expiration: 1700345600000,
        used: false,
        sourceNetworkCode: "ETH",
      },
      redeemOrder: { asset: "BNB", amount: 8 },
    },
  ],
  required: ["[]", "[].sender", "[].status", "[].lockOrder", "[].lockOrder.secretHash"],
  statedBy: "C",
  notes:
    "A bare list of swaps with `ACTIVE`, `SETTLED` or `EXPIRED` (C for `swapHistory`, A for `activeSwaps`). A sender other than the requested one is a mismatch, and so is a hash that occurs twice. `redeemOrder` is what is delivered on this network. The reply does not say when a swap ended.",
};

const balances = listing(
  z.object({ broker: nameWithoutSlash, asset: nameWithoutSlash, amount }, "a broker's balance"),
  "a list of brokers' balances",
  ({ broker, asset }) => `${identifierKey(broker)}/${asset}`,
);
export type BrokerBalances = z.infer<typeof balances>;

export const NO_SENDER = "no sender is known: give watch.senders";

export const swapEndpoints = {
  swapHistory: read({
    path: "atomic-swap/api/v1/history/all",
    query: { sender: "{sender}", limit: "{limit}" },
    optionalArgs: ["sender", "limit"],
    ignore: LIMITED,
    statedBy: "I",
    why: "All swaps, by exactly this path (I); a client uses `/api/v1/atomic-swap/history/all`.",
    decode: decodeSwaps,
    reply: SWAPS_REPLY,
    probeArgs: ({ sender }) => ({ ...(sender && { sender }), limit: "20" }),
    learn: ([first]) => ({ sender: first?.sender }),
  }),
  activeSwaps: read({
    path: "/api/v1/atomic-swap/history/current",
    query: { sender: "{sender}" },
    args: ["sender"],
    statedBy: "A",
    why: "Active swaps of one sender; the reply is assumed by analogy with the history.",
    decode: decodeSwaps,
    reply: SWAPS_REPLY,
    probeArgs: ({ sender }) => sender && { sender },
    lacks: NO_SENDER,
  }),
  brokerBalances: read({
    method: "POST",
    path: "/api/v1/atomic-swap/balances",
    body: {},
    statedBy: "A",
    why: "Tradable balances of the brokers; body and reply are assumed.",
    decode: decoderOf(balances),
    reply: {
      example: [{ broker: "0x1b…", asset: "BNB", amount: 400 }],
      required: ["[]", "[].broker", "[].asset", "[].amount"],
      statedBy: "A",
      notes: "Brokers hold tradable balances (I); the shape is assumed (A).",
    },
  }),
};
