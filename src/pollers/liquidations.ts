import type { FactValue, KindDefinition } from "../domain/entity.ts";
import { identifierKey } from "../domain/identifier.ts";
import { ORDER_FACTS, orderFacts } from "./order-facts.ts";
import { MISSING } from "./fact-types.ts";
import type { WatchList, WatchListOf } from "./poller.ts";
import {
  complete,
  definePoller,
  createFinder,
  firstOfEach,
  knownFacts,
  mismatched,
  replyOf,
  withoutSpaces,
} from "./poller.ts";

export const liquidationKind = {
  kind: "liquidation",
  means: "A watched liquidation order.",
  facts: { ...ORDER_FACTS, missing: MISSING },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** The entries of `watch.liquidations`. */
const liquidationsList: WatchListOf<"liquidations"> = {
  list: "liquidations",
  kind: "liquidation",
  means: "A liquidation order, by its id: `0x5f…`.",
  keyOf: identifierKey,
  problemOf: withoutSpaces,
  targetOf: ({ id }) => id,
  itemOf: ({ target, alias }) => ({ id: target, alias: alias ?? target }),
};

/** One request for each watched order, as the interface has no listing of liquidation orders. */
export const liquidationsPoller = definePoller({
  name: "liquidations",
  means: "Watched liquidation orders.",
  kinds: [liquidationKind],
  watchList: liquidationsList,
  defaultSchedule: "*/15 * * * * *",
  defaultTimeoutMs: 15_000,
  plan: (watch) =>
    firstOfEach(watch.liquidations, ({ id }) => identifierKey(id)).map(({ id }) => ({
      name: id,
      requests: [{ endpoint: "liquidation", args: { orderId: id } }],
    })),
  read: (surface, replies, { watch, statuses }) => {
    const order = replyOf(replies, "liquidation");
    if (identifierKey(order.id) !== identifierKey(surface.name))
      return mismatched(
        "liquidation",
        `$.order.id: expected the order asked for (${surface.name})`,
      );
    const alias = aliasOf(watch, surface.name);
    return complete([
      {
        kind: liquidationKind.kind,
        id: surface.name,
        facts: knownFacts<FactValue>({
          ...orderFacts(order, { id: surface.name, alias }, statuses),
          missing: false,
        }),
      },
    ]);
  },
  missing: ({ name: id }, { watch }) => {
    const name = aliasOf(watch, id) ?? id;
    return [{ kind: liquidationKind.kind, id, facts: { order_id: id, name, missing: true } }];
  },
});

const findLiquidation = createFinder<WatchList["liquidations"][number]>(({ id }) => id);

function aliasOf({ liquidations }: WatchList, order: string): string | undefined {
  return findLiquidation(liquidations, order)?.alias;
}
