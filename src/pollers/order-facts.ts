import type { Order } from "../aggregator/endpoints/orders.ts";
import type { FactDefinition, FactValue } from "../domain/entity.ts";
import { flag, from, instant, number, text } from "./fact-types.ts";
import type { Statuses } from "./poller.ts";

/** What the status word says, by the words of a setting. */
const meant = (means: string): FactDefinition => ({
  ...from("status", flag(means)),
  words: "order_statuses",
});

/** What every order shows, liquidation orders too. */
export const ORDER_FACTS = {
  order_id: text("The order's id."),
  name: text("The configured alias, or the order's id."),
  status: text("The status word, as the aggregator gives it."),
  open: meant("The status is one of the open ones; left out where the word is not known."),
  cancelable: meant(
    "The status is one of those that can be cancelled; left out where the word is not known.",
  ),
  final: meant("The status is one of the final ones; left out where the word is not known."),
  asset_pair: from("assetPair", text("The pair, e.g. ORN-USDT.")),
  side: from("side", text("`BUY` or `SELL`.")),
  amount: from("amount", number("The order's amount, in units of the base asset.")),
  remaining_amount: from(
    "remainingAmount",
    number("What is not filled yet, in units of the base asset."),
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
  { open, cancelable, final }: Statuses,
): Readonly<Record<string, FactValue | undefined>> {
  const isKnown = [open, cancelable, final].some((words) => words.includes(order.status));
  const isOneOf = (words: readonly string[]) =>
    isKnown ? words.includes(order.status) : undefined;
  return {
    order_id: id,
    name: alias ?? id,
    status: order.status,
    open: isOneOf(open),
    cancelable: isOneOf(cancelable),
    final: isOneOf(final),
    asset_pair: order.assetPair,
    side: order.side,
    amount: order.amount,
    remaining_amount: order.remainingAmount,
    price: order.price,
    created: order.creationTime,
    updated: order.updateTime,
  };
}
