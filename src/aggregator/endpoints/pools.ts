import { z } from "zod";
import { joined } from "../../domain/identifier.ts";
import { decoderOf } from "../decoding/decode.ts";
import { amount, name, nameWithoutSlash, optional } from "../decoding/fields.ts";
import { listing } from "../decoding/listing.ts";
import { sifting, type Sieve } from "../decoding/malformed-entries.ts";
import { read } from "./definition.ts";

/** `a` is the reserve of the base asset, `p` that of the quote asset (shown by a public client). */
const reserves = { a: amount, p: amount, indicativePrice: optional(amount) };
const poolReserves = z.object(reserves, "the reserves of a pool");
export type PoolReserves = z.infer<typeof poolReserves>;

const pool = { factory: nameWithoutSlash, pair: name };
const poolKey = ({ factory, pair }: { readonly factory: string; readonly pair: string }): string =>
  joined(factory, pair);
const POOL_NAMES: Sieve = [
  {
    list: null,
    names: [
      { field: "factory", slash: false },
      { field: "pair", slash: true },
    ],
  },
];

const decodeReserves = sifting(
  decoderOf(
    listing(
      z.object({ ...pool, ...reserves }, "the reserves of a pool"),
      "a list of pool reserves",
      poolKey,
    ),
  ),
  POOL_NAMES,
);

const RESERVES = { a: 1000.5, p: 1470.2, indicativePrice: 1.4695 };
const POOL = { factory: "OrionV2", pair: "ORN-USDT" };
const TRADE = { amount: "{amount:number}", side: "{side}" };
/** Small, so that an estimation of it is cheap for the aggregator and makes sense for any asset. */
const SAMPLE_TRADE = { amount: "1", side: "BUY" };
const NO_POOL = "no pool is known: give watch.pools";

export const poolEndpoints = {
  reserves: read({
    path: "/api/v1/pools/reservations",
    statedBy: "A",
    why: "Reserves of all pools. The fields are shown by a client (C), the list is assumed.",
    decode: decodeReserves,
    reply: {
      example: [{ ...POOL, ...RESERVES }],
      required: ["[]", "[].factory", "[].pair", "[].a", "[].p"],
      statedBy: "A",
      notes:
        "`a`, `p` and `indicativePrice` are reserve of the base asset, of the quote asset, and price (C). The list, `factory` and `pair` are assumed (A).",
    },
    learn: ([first]) => ({ pool: first && { factory: first.factory, pair: first.pair } }),
  }),
  poolReserves: read({
    path: "/api/v1/pools/reservations/{factory}/{pair}",
    args: ["factory", "pair"],
    statedBy: "C",
    why: "Reserves of one pool; one client spells the path `pools/reserves/{factory}/{pair}`.",
    decode: decoderOf(poolReserves),
    reply: {
      example: RESERVES,
      required: ["a", "p"],
      statedBy: "C",
      notes: "As in `reserves`, for one pool (C).",
    },
    probeArgs: (known) => known.pool,
    lacks: NO_POOL,
  }),
  estimations: read({
    method: "POST",
    path: "/api/v1/pools/estimation",
    body: TRADE,
    args: ["amount", "side"],
    statedBy: "A",
    why: "Estimations for all pools; body and reply are assumed.",
    decode: sifting(
      decoderOf(
        listing(
          z.object({ ...pool, estimation: amount }, "a pool's estimation"),
          "a list of estimations",
          poolKey,
        ),
      ),
      POOL_NAMES,
    ),
    reply: {
      example: [{ ...POOL, estimation: 0.5155 }],
      required: ["[]", "[].factory", "[].pair", "[].estimation"],
      statedBy: "A",
      notes:
        "What a `SELL` of `amount` of the base asset gives, or a `BUY` costs, in the quote asset. All of it is assumed (A). A pool may be absent.",
    },
    probeArgs: () => SAMPLE_TRADE,
  }),
  poolEstimation: read({
    method: "POST",
    path: "/api/v1/pools/estimation/{factory}/{pair}",
    body: TRADE,
    args: ["factory", "pair", "amount", "side"],
    statedBy: "A",
    why: "Estimation for one pool; body and reply are assumed.",
    decode: decoderOf(z.object({ estimation: amount }, "an estimation")),
    reply: {
      example: { estimation: 0.5155 },
      required: ["estimation"],
      statedBy: "A",
      notes: "As in `estimations`, for one pool (A).",
    },
    probeArgs: (known) => known.pool && { ...known.pool, ...SAMPLE_TRADE },
    lacks: NO_POOL,
  }),
};
