import { z } from "zod";
import { decoderOf } from "../decoding/decode.ts";
import { amount, name, optional } from "../decoding/fields.ts";
import { listing } from "../decoding/listing.ts";
import { read, type ReplyShape } from "./definition.ts";

const decodePairs = decoderOf(listing(name, "a list of pair names", (text) => text));

const pairsDetailed = listing(
  z.object({ name, price: optional(amount), volume: optional(amount) }, "a pair with its market"),
  "a list of pairs with their markets",
  (pair) => pair.name,
);

const precision = amount.refine(
  (value) => Number.isInteger(value) && value >= 0 && value <= 100,
  "a number of digits",
);

/** A pair's settings (shown by a public client, pairConfigSchema). */
const pairConfig = z.object(
  {
    name,
    minQty: optional(amount),
    maxQty: optional(amount),
    minPrice: optional(amount),
    maxPrice: optional(amount),
    pricePrecision: optional(precision),
    qtyPrecision: optional(precision),
  },
  "the settings of a pair",
);
export type PairConfig = z.infer<typeof pairConfig>;

const CONFIG = {
  name: "ORN-USDT",
  minQty: 0.1,
  maxQty: 1000000,
  minPrice: 0.0001,
  maxPrice: 100000,
  pricePrecision: 4,
  qtyPrecision: 2,
};
const CONFIG_REPLY: ReplyShape = {
  example: CONFIG,
  required: ["name"],
  statedBy: "C",
  notes:
    "One object (C for `pairInfo`, A for `pairOnExchange`). A `name` other than the requested pair is a mismatch.",
};

export const marketEndpoints = {
  pairs: read({
    path: "/api/v1/pairs/list",
    statedBy: "C",
    why: "Names of all asset pairs.",
    decode: decodePairs,
    reply: {
      example: ["ORN-USDT", "BNB-ORN"],
      required: ["[]"],
      statedBy: "C",
      notes: "A bare list of names, upper case, with a hyphen (C).",
    },
    learn: ([pair]) => ({ pair }),
  }),
  pairsDetailed: read({
    path: "/api/v1/pairs/list/detailed",
    statedBy: "A",
    why: "Pairs with price and volume (I); the names of the fields are assumed.",
    decode: decoderOf(pairsDetailed),
    reply: {
      example: [{ name: "ORN-USDT", price: 0.52, volume: 447773.1 }],
      required: ["[]", "[].name"],
      statedBy: "A",
      notes:
        "Price and volume are stated (I); the names of the fields and the list are assumed. The asset and the period of the volume are not stated; it is passed on as it is.",
    },
  }),
  exchangeInfo: read({
    path: "/api/v1/pairs/exchangeInfo",
    query: { exchange: "{exchange}" },
    optionalArgs: ["exchange"],
    statedBy: "C",
    why: "Settings of the pairs of an exchange; the query is assumed.",
    decode: decoderOf(listing(pairConfig, "a list of the settings of pairs", (pair) => pair.name)),
    reply: {
      example: [CONFIG],
      required: ["[]", "[].name"],
      statedBy: "C",
      notes: "A bare list of the settings of pairs (C).",
    },
    probeArgs: ({ exchange }) => (exchange === undefined ? {} : { exchange }),
  }),
  pairInfo: read({
    path: "/api/v1/pairs/exchangeInfo/{pair}",
    args: ["pair"],
    statedBy: "C",
    why: "Settings of one pair: one object, although the description says across all exchanges.",
    decode: decoderOf(pairConfig),
    reply: CONFIG_REPLY,
    probeArgs: ({ pair }) => pair && { pair },
    lacks: "no pair is known from pairs/list",
  }),
  pairOnExchange: read({
    path: "/api/v1/pairs/exchangeInfo/{pair}/{exchange}",
    args: ["pair", "exchange"],
    statedBy: "A",
    why: "Settings of one pair on one exchange; the reply is assumed.",
    decode: decoderOf(pairConfig),
    reply: CONFIG_REPLY,
    probeArgs: ({ pair, exchange }) => pair && exchange && { pair, exchange },
    lacks: "no pair or no exchange is known from the lists",
  }),
};
