import type { Json } from "../domain/result.ts";
import type { Provenance } from "./endpoint-definition.ts";
import type { ReadEndpoint } from "./endpoints.ts";

/**
 * What each reply looks like by default, for people. That the decoders read just this is held by a test:
 * they take every example, miss every required field, and find nothing that is not in it.
 */
export type ReplyShape = {
  readonly endpoints: readonly ReadEndpoint[];
  /** A whole reply with every field that is read. */
  readonly example: Json;
  /** JSON paths, `[]` for every item: without these it is a mismatch. Others may be absent or null. */
  readonly required: readonly string[];
  readonly statedBy: Provenance;
  /** What is stated, shown or assumed of it. */
  readonly notes: string;
};

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
const PAIR_CONFIG = {
  name: "ORN-USDT",
  minQty: 0.1,
  maxQty: 1000000,
  minPrice: 0.0001,
  maxPrice: 100000,
  pricePrecision: 4,
  qtyPrecision: 2,
};
const RESERVES = { a: 1000.5, p: 1470.2, indicativePrice: 1.4695 };
const POOL = { factory: "OrionV2", pair: "ORN-USDT" };
const SWAP = {
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
};
const ORDER_NOTES =
  "A client shows these fields of an order (C). That an order's amounts are in units of its base asset, and its times in milliseconds, is concluded from clients (A).";

export const REPLY_SHAPES: readonly ReplyShape[] = [
  {
    endpoints: ["exchanges"],
    example: ["BINANCE", "KUCOIN"],
    required: ["[]"],
    statedBy: "C",
    notes:
      "A bare list of names (C). That a disabled exchange is not in it is assumed (A): `enable_exchange` is verified by it.",
  },
  {
    endpoints: ["disabled"],
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
      "That it lists disabled exchanges and pairs is stated (I); the shape is not. Both lists are needed, empty ones too.",
  },
  {
    endpoints: ["pairs"],
    example: ["ORN-USDT", "BNB-ORN"],
    required: ["[]"],
    statedBy: "C",
    notes: "A bare list of names, upper case, with a hyphen (C).",
  },
  {
    endpoints: ["pairsDetailed"],
    example: [{ name: "ORN-USDT", price: 0.52, volume: 447773.1 }],
    required: ["[]", "[].name"],
    statedBy: "A",
    notes:
      "Price and volume are stated (I), the names of the fields and the list are assumed. Of which asset and how long the volume is: not stated, and passed on as it is.",
  },
  {
    endpoints: ["exchangeInfo"],
    example: [PAIR_CONFIG],
    required: ["[]", "[].name"],
    statedBy: "C",
    notes: "A bare list of the settings of pairs (C).",
  },
  {
    endpoints: ["pairInfo", "pairOnExchange"],
    example: PAIR_CONFIG,
    required: ["name"],
    statedBy: "C",
    notes:
      "One object (C for `pairInfo`, A for `pairOnExchange`). Another `name` than the pair that was asked for is a mismatch.",
  },
  {
    endpoints: ["reserves"],
    example: [{ ...POOL, ...RESERVES }],
    required: ["[]", "[].factory", "[].pair", "[].a", "[].p"],
    statedBy: "A",
    notes:
      "`a`, `p` and `indicativePrice` are reserve of the base asset, of the quote asset, and price (C). The list, `factory` and `pair` are assumed (A).",
  },
  {
    endpoints: ["poolReserves"],
    example: RESERVES,
    required: ["a", "p"],
    statedBy: "C",
    notes: "As in `reserves`, of one pool (C).",
  },
  {
    endpoints: ["estimations"],
    example: [{ ...POOL, estimation: 0.5155 }],
    required: ["[]", "[].factory", "[].pair", "[].estimation"],
    statedBy: "A",
    notes:
      "What a `SELL` of `amount` of the base asset gives, or a `BUY` costs, in the quote asset. All of it is assumed (A). A pool may be absent.",
  },
  {
    endpoints: ["poolEstimation"],
    example: { estimation: 0.5155 },
    required: ["estimation"],
    statedBy: "A",
    notes: "As in `estimations`, of one pool (A).",
  },
  {
    endpoints: ["swapHistory", "activeSwaps"],
    example: [SWAP],
    required: ["[]", "[].sender", "[].status", "[].lockOrder", "[].lockOrder.secretHash"],
    statedBy: "C",
    notes:
      "A bare list of swaps with `ACTIVE`, `SETTLED` or `EXPIRED` (C for `swapHistory`, A for `activeSwaps`). Another sender than the one asked for is a mismatch, as is one hash twice. `redeemOrder` is what is delivered on this network. When a swap ended is not said.",
  },
  {
    endpoints: ["brokerBalances"],
    example: [{ broker: "0x1b…", asset: "BNB", amount: 400 }],
    required: ["[]", "[].broker", "[].asset", "[].amount"],
    statedBy: "A",
    notes: "That brokers hold tradable balances is stated (I); the shape is assumed (A).",
  },
  {
    endpoints: ["order", "futuresOrder", "liquidation"],
    example: { orderId: "0xab…", order: ORDER },
    required: ["order", "order.id", "order.status"],
    statedBy: "C",
    notes: `${ORDER_NOTES} Shown for \`order\`; assumed by analogy for the others (A). The two ids, and the id asked for, must be the same.`,
  },
  {
    endpoints: ["ordersByStatus", "futuresByStatus"],
    example: [ORDER],
    required: ["[]", "[].id", "[].status"],
    statedBy: "A",
    notes:
      "A bare list of orders, as in the history (A), at most 20 (I). A list of 20 may lack others, so who is absent is unknown. Another status than the one asked for is a mismatch.",
  },
  {
    endpoints: ["orderHistory", "futuresHistory"],
    example: [ORDER],
    required: ["[]", "[].id", "[].status"],
    statedBy: "C",
    notes: `A bare list of orders (C for \`orderHistory\`, A for \`futuresHistory\`).`,
  },
];
