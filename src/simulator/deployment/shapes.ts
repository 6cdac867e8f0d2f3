/**
 * The usual reply and arguments of each read that a deployment may change. The deployment's replies (`encode.ts`), its
 * requests (`border.ts`) and the wire profile that fits it (`profile.ts`) derive from these.
 */

/** `any`: no poller reads it, so the deployment changes only the names in it. */
export type Shape = "text" | "number" | "instant" | "status" | "flag" | "any" | Listing | Fields;

export type Fields = { readonly fields: Readonly<Record<string, Shape>> };

/** `by` names the fields that identify an entry; a text identifies itself. */
export type Listing = { readonly each: "text" | Fields; readonly by: readonly string[] };

export type ArgumentType = "text" | "number" | "instant" | "status";

/** The arguments that are not segments of the path, by their usual names. */
export type Arguments = Readonly<Record<string, ArgumentType>>;

type Described = { readonly reply: Shape; readonly asks?: Arguments };

const list = (each: Listing["each"], ...by: readonly string[]): Listing => ({ each, by });
const record = (fields: Fields["fields"]): Fields => ({ fields });

const order = record({
  id: "text",
  assetPair: "text",
  side: "text",
  amount: "number",
  remainingAmount: "number",
  price: "number",
  filledAmount: "number",
  settledAmount: "number",
  fee: "number",
  feeAsset: "text",
  sender: "text",
  internalOnly: "flag",
  creationTime: "instant",
  updateTime: "instant",
  status: "status",
  blockchainOrder: "any",
  subOrders: "any",
});
const one: Described = {
  reply: record({ orderId: "text", order }),
  asks: { orderId: "text", owner: "text" },
};
const orders = list(order, "id");
const history: Described = {
  reply: orders,
  asks: {
    address: "text",
    baseAsset: "text",
    quoteAsset: "text",
    startTime: "instant",
    endTime: "instant",
    limit: "number",
  },
};
const byStatus: Described = { reply: orders, asks: { status: "status" } };

const pairConfig = record({
  name: "text",
  minQty: "number",
  maxQty: "number",
  minPrice: "number",
  maxPrice: "number",
  pricePrecision: "number",
  qtyPrecision: "number",
});

const reserves = { a: "number", p: "number", indicativePrice: "number" } as const;
const pool = { factory: "text", pair: "text" } as const;
const trade = { amount: "number", side: "text" } as const;

const swaps = list(
  record({
    id: "text",
    sender: "text",
    lockOrder: record({
      sender: "text",
      asset: "text",
      amount: "number",
      expiration: "instant",
      secretHash: "text",
      used: "flag",
      sourceNetworkCode: "text",
    }),
    redeemOrder: record({
      asset: "text",
      amount: "number",
      secretHash: "text",
      sender: "text",
      receiver: "text",
      expiration: "instant",
      signature: "text",
      claimReceiver: "text",
    }),
    status: "status",
    creationTime: "instant",
  }),
  "id",
);

export const READS: Readonly<Record<string, Described>> = {
  exchanges: { reply: list("text") },
  disabled: {
    reply: record({
      exchanges: list("text"),
      pairs: list(record({ exchange: "text", assetPair: "text" }), "exchange", "assetPair"),
    }),
  },
  pairs: { reply: list("text") },
  pairsDetailed: {
    reply: list(
      record({
        name: "text",
        price: "number",
        volume: "number",
        change24h: "number",
        bid: "number",
        ask: "number",
      }),
      "name",
    ),
  },
  exchangeInfo: { reply: list(pairConfig, "name"), asks: { exchange: "text" } },
  pairInfo: { reply: pairConfig },
  pairOnExchange: { reply: pairConfig },
  reserves: { reply: list(record({ ...pool, ...reserves }), "factory", "pair") },
  poolReserves: { reply: record(reserves) },
  estimations: {
    reply: list(record({ ...pool, estimation: "number" }), "factory", "pair"),
    asks: trade,
  },
  poolEstimation: { reply: record({ estimation: "number" }), asks: trade },
  swapHistory: { reply: swaps, asks: { sender: "text", limit: "number" } },
  activeSwaps: { reply: swaps, asks: { sender: "text" } },
  brokerBalances: {
    reply: list(record({ broker: "text", asset: "text", amount: "number" }), "broker", "asset"),
  },
  ordersByStatus: byStatus,
  futuresByStatus: byStatus,
  orderHistory: history,
  futuresHistory: history,
  order: one,
  futuresOrder: one,
  liquidation: { ...one, asks: { orderId: "text" } },
};
