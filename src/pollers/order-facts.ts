import type { Order } from "../aggregator/endpoints/orders.ts";
import type { FactDefinition, FactValue } from "../domain/entity.ts";
import { from, meantBy, instant, number, text } from "./fact-types.ts";
import { orderStatus, type Statuses } from "./status-words.ts";

/** What every order shows, liquidation orders too. */
export const ORDER_FACTS = {
  order_id: text("The order's id."),
  name: text("The configured alias, or the order's id."),
  status: text(
    "The status, as `statuses` spells it; a word that is not in `statuses` stays as the aggregator gives it.",
  ),
  open: meantBy(
    "statuses",
    "Whether the status is an open one; unknown if `statuses` does not have the word.",
  ),
  cancelable: meantBy(
    "statuses",
    "Whether the status is a cancelable one; unknown if `statuses` does not have the word.",
  ),
  final: meantBy(
    "statuses",
    "Whether the status is a final one; unknown if `statuses` does not have the word.",
  ),
  asset_pair: from("assetPair", text("The pair, e.g. ORN-USDT.")),
  side: from("side", text("`BUY` or `SELL`.")),
  amount: from("amount", number("The order's amount, in units of the base asset.")),
  remaining_amount: from(
    "remainingAmount",
    number("The amount that is not filled yet, in units of the base asset."),
  ),
  price: from("price", number("Price in units of the quote asset.")),
  created: from("creationTime", instant("When the aggregator says it was created.")),
  updated: {
    ...from("updateTime", instant("When the aggregator says it was last changed.")),
    drifts: true,
  },
} as const satisfies Readonly<Record<string, FactDefinition>>;

export function orderFacts(
  order: Order,
  { id, alias }: { readonly id: string; readonly alias?: string | undefined },
  statuses: Statuses,
): Readonly<Record<string, FactValue | undefined>> {
  return {
    order_id: id,
    name: alias ?? id,
    ...orderStatus(order, statuses),
    asset_pair: order.assetPair,
    side: order.side,
    amount: order.amount,
    remaining_amount: order.remainingAmount,
    price: order.price,
    created: order.creationTime,
    updated: order.updateTime,
  };
}
