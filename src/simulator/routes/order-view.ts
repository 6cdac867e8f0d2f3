import type { Json } from "../../domain/result.ts";
import { assetAddress } from "../model/assets.ts";
import { round } from "../model/amounts.ts";
import { addressOf, uuidOf } from "../model/hash.ts";
import type { Order, OrderStatus } from "../model/world.ts";

/** An order on the wire (public SDK, orderSchema). */

const FEE_SHARE = 0.002;
const MATCHER = addressOf("matcher");
/** `blockchainOrder` has amounts and prices as whole numbers, in units of 1e-8. */
const fixedPoint = (amount: number): number => Math.round(amount * 1e8);

export function orderView(order: Order): { readonly [key: string]: Json } {
  const [, quote = ""] = order.pair.split("-");
  return {
    id: order.id,
    assetPair: order.pair,
    side: order.side,
    amount: round(order.amount),
    remainingAmount: round(order.amount - order.filled),
    price: order.price,
    filledAmount: round(order.filled),
    settledAmount: round(order.settled),
    fee: round(order.amount * order.price * FEE_SHARE),
    feeAsset: quote,
    sender: order.owner,
    internalOnly: order.type === "internal",
    creationTime: order.createdAt,
    updateTime: order.updatedAt,
    status: order.status,
    blockchainOrder: blockchainOrder(order),
    subOrders: Object.fromEntries(
      order.exchanges.map((exchange, index) => {
        const id = order.number * 10 + index;
        return [String(id), subOrder(order, id, exchange)];
      }),
    ),
  };
}

function blockchainOrder(order: Order): Json {
  const [base = "", quote = ""] = order.pair.split("-");
  return {
    id: order.id,
    senderAddress: order.owner,
    matcherAddress: MATCHER,
    baseAsset: assetAddress(base),
    quoteAsset: assetAddress(quote),
    matcherFeeAsset: assetAddress(quote),
    amount: fixedPoint(order.amount),
    price: fixedPoint(order.price),
    matcherFee: fixedPoint(order.amount * order.price * FEE_SHARE),
    nonce: order.createdAt,
    expiration: order.expiresAt,
    buySide: order.side === "BUY" ? 1 : 0,
    signature: order.signature,
    isPersonalSign: false,
    needWithdraw: false,
  };
}

function subOrder(order: Order, id: number, exchange: string): Json {
  const share = 1 / order.exchanges.length;
  const filled = round(order.filled * share);
  const tradeId = uuidOf(`${order.id}/${id}`);
  return {
    id,
    parentOrderId: order.id,
    assetPair: order.pair,
    side: order.side,
    amount: round(order.amount * share),
    remainingAmount: round((order.amount - order.filled) * share),
    filledAmount: filled,
    price: order.price,
    sender: order.owner,
    internalOnly: order.type === "internal",
    exchange,
    brokerAddress: brokerOf(exchange),
    // Sub-orders are never ROUTING: that status is for orders whose sub-orders are not all accepted.
    status: order.status === "ROUTING" ? "NEW" : order.status,
    complexSwap: false,
    tradesInfo: filled === 0 ? {} : { [tradeId]: trade(order, tradeId, filled) },
  };
}

const TRADE_STATUSES: Readonly<Partial<Record<OrderStatus, string>>> = {
  SETTLED: "OK",
  FAILED: "FAIL",
};

function trade(order: Order, tradeId: string, filledAmount: number): Json {
  return {
    tradeId,
    tradeStatus: TRADE_STATUSES[order.status] ?? "PENDING",
    filledAmount,
    price: order.price,
    creationTime: order.updatedAt,
    updateTime: order.updatedAt,
  };
}

/** The address of the broker that trades on an exchange. */
function brokerOf(exchange: string): string {
  return addressOf(`broker on ${exchange}`);
}

/** The requests that go to brokers if an order is placed or cancelled. */
export function brokerRequests(exchanges: readonly string[], amount: number): Json {
  return exchanges.map((exchange) => ({
    amount: round(amount / exchanges.length),
    brokerAddress: brokerOf(exchange),
    exchange,
  }));
}
