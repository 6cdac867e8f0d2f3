import type { FactValue, KindDefinition } from "../domain/entity.ts";
import { identifierKey } from "../domain/identifier.ts";
import { ORDER_FACTS, orderFacts } from "./order-facts.ts";
import { MISSING } from "./fact-types.ts";
import type { Surface, WatchList, WatchListOf } from "./poller.ts";
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
      name: identifierKey(id),
      requests: [{ endpoint: "liquidation", args: { orderId: id } }],
    })),
  read: (surface, replies, { watch, statuses }) => {
    const order = replyOf(replies, "liquidation");
    if (identifierKey(order.id) !== surface.name)
      return mismatched(
        "liquidation",
        `$.order.id: expected the order asked for (${surface.name})`,
      );
    const named = nameOf(watch, surface);
    return complete([
      {
        kind: liquidationKind.kind,
        id: surface.name,
        facts: knownFacts<FactValue>({
          ...orderFacts(order, named, statuses),
          missing: false,
        }),
      },
    ]);
  },
  missing: (surface, { watch }) => {
    const { id, alias } = nameOf(watch, surface);
    const facts = { order_id: id, name: alias ?? id, missing: true };
    return [{ kind: liquidationKind.kind, id: surface.name, facts }];
  },
});

const findLiquidation = createFinder<Watched>(({ id }) => identifierKey(id));

/** The watched order of a surface, as it is written: the same order in other capitals is the same entity. */
function nameOf({ liquidations }: WatchList, { name }: Surface): Watched {
  return findLiquidation(liquidations, name) ?? { id: name };
}

type Watched = WatchList["liquidations"][number];
