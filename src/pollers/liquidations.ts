import type { Order } from "../aggregator/decoders/orders.ts";
import type { FactValue } from "../domain/entity.ts";
import { liquidationKind } from "./kinds.ts";
import type { Poller, Statuses, WatchList } from "./poller.ts";
import { complete, firstOfEach, knownFacts, mismatched, replyOf } from "./poller.ts";

/** One request for each watched order, as the interface has no listing of liquidation orders. */
export const liquidationsPoller: Poller = {
  name: "liquidations",
  means: "Watched liquidation orders.",
  kinds: [liquidationKind],
  defaultSchedule: "*/15 * * * * *",
  defaultTimeoutMs: 15_000,
  plan: (watch) =>
    firstOfEach(watch.liquidations, ({ id }) => id.toLowerCase()).map(({ id }) => ({
      name: id,
      asks: [{ endpoint: "liquidation", args: { orderId: id } }],
    })),
  read: (surface, replies, { watch, statuses }) => {
    const order = replyOf(replies, "liquidation");
    if (order.id.toLowerCase() !== surface.name.toLowerCase())
      return mismatched(
        "liquidation",
        `$.order.id: expected the order asked for (${surface.name})`,
      );
    return complete([
      {
        kind: liquidationKind.kind,
        id: surface.name,
        facts: factsOf(order, surface.name, watch, statuses),
      },
    ]);
  },
};

function factsOf(
  order: Order,
  id: string,
  watch: WatchList,
  statuses: Statuses,
): Readonly<Record<string, FactValue>> {
  const alias = watch.liquidations.find((watched) => watched.id === id)?.alias;
  const { open, cancelable, final } = statuses;
  const isKnown = [open, cancelable, final].some((words) => words.includes(order.status));
  const flag = (words: readonly string[]) => (isKnown ? words.includes(order.status) : undefined);
  return knownFacts<FactValue>({
    order_id: id,
    name: alias ?? id,
    status: order.status,
    open: flag(open),
    cancelable: flag(cancelable),
    final: flag(final),
    asset_pair: order.assetPair,
    side: order.side,
    amount: order.amount,
    remaining_amount: order.remainingAmount,
    price: order.price,
    created: order.creationTime,
    updated: order.updateTime,
  });
}
