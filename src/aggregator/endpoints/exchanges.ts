import { z } from "zod";
import { joined } from "../../domain/identifier.ts";
import { decoderOf } from "../decoding/decode.ts";
import { name, nameWithoutSlash } from "../decoding/fields.ts";
import { listing } from "../decoding/listing.ts";
import { sifting } from "../decoding/malformed-entries.ts";
import { read } from "./definition.ts";

const exchanges = listing(nameWithoutSlash, "a list of exchange names", (text) => text);

const flag = (isOfDisabled: (value: unknown) => boolean) =>
  z.optional(z.unknown().refine(isOfDisabled, "a pair that is disabled"));

/** A flag may be missing by being null. An object, of which `String` may throw, is some value. */
const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? "object" : String(value).trim();

/** A listing of all pairs, with a flag, needs a map: its pairs are not disabled for being in it. */
const disabledPair = z
  .object(
    {
      exchange: nameWithoutSlash,
      assetPair: name,
      disabled: flag((value) => !/^(?:false|0+|no?|off)?$/i.test(textOf(value))),
      enabled: flag((value) => !/^(?:true|0*1|y(?:es)?|on)$/i.test(textOf(value))),
    },
    "an object",
  )
  .transform(({ exchange, assetPair }) => ({ exchange, assetPair }));

const disabled = z.object(
  {
    exchanges,
    pairs: listing(disabledPair, "a list of disabled pairs", (pair) =>
      joined(pair.exchange, pair.assetPair),
    ),
  },
  "an object with exchanges and pairs",
);

const decodeExchanges = sifting(decoderOf(exchanges), [
  { list: null, names: [{ field: null, slash: false }] },
]);

export const exchangeEndpoints = {
  exchanges: read({
    path: "/api/v1/exchange/list",
    statedBy: "C",
    why: "Accessible exchanges, which is assumed to leave out disabled ones.",
    decode: decodeExchanges,
    reply: {
      example: ["BINANCE", "KUCOIN"],
      required: ["[]"],
      statedBy: "C",
      notes:
        "A bare list of names (C). It is assumed to leave out disabled exchanges (A), and `enable_exchange` is verified by it.",
    },
    learn: ([exchange]) => ({ exchange }),
  }),
  disabled: read({
    path: "/api/v1/exchange/disabled",
    statedBy: "A",
    why: "Disabled exchanges, and pairs disabled on an exchange; the shape is assumed.",
    decode: sifting(decoderOf(disabled), [
      { list: "exchanges", names: [{ field: null, slash: false }] },
      {
        list: "pairs",
        names: [
          { field: "exchange", slash: false },
          { field: "assetPair", slash: true },
        ],
      },
    ]),
    reply: {
      example: { exchanges: ["OKX"], pairs: [{ exchange: "BINANCE", assetPair: "ORN-USDT" }] },
      required: [
        "exchanges",
        "exchanges[]",
        "pairs",
        "pairs[]",
        "pairs[].exchange",
        "pairs[].assetPair",
      ],
      statedBy: "A",
      notes:
        "It lists disabled exchanges and pairs (I); the shape is assumed. Both lists are required, even if empty. A pair with `disabled: false`, `enabled: true` or the like is a mismatch.",
    },
  }),
};
