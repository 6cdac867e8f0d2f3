import type { FactValue } from "../domain/entity.ts";
import { identifierKey } from "../domain/identifier.ts";
import { liquidationKind } from "./kinds.ts";
import { orderFacts } from "./order-facts.ts";
import type { Poller } from "./poller.ts";
import { complete, firstOfEach, knownFacts, mismatched, replyOf } from "./poller.ts";

/** One request for each watched order, as the interface has no listing of liquidation orders. */
export const liquidationsPoller: Poller = {
  name: "liquidations",
  means: "Watched liquidation orders.",
  kinds: [liquidationKind],
  defaultSchedule: "*/15 * * * * *",
  defaultTimeoutMs: 15_000,
  plan: (watch) =>
    firstOfEach(watch.liquidations, ({ id }) => identifierKey(id)).map(({ id }) => ({
      name: id,
      asks: [{ endpoint: "liquidation", args: { orderId: id } }],
    })),
  read: (surface, replies, { watch, statuses }) => {
    const order = replyOf(replies, "liquidation");
    if (identifierKey(order.id) !== identifierKey(surface.name))
      return mismatched(
        "liquidation",
        `$.order.id: expected the order asked for (${surface.name})`,
      );
    const alias = watch.liquidations.find(({ id }) => id === surface.name)?.alias;
    return complete([
      {
        kind: liquidationKind.kind,
        id: surface.name,
        facts: knownFacts<FactValue>(orderFacts(order, { id: surface.name, alias }, statuses)),
      },
    ]);
  },
};
