import { MINUTE } from "../../../domain/time.ts";
import type { Dice } from "../dice.ts";
import type { Happening, Member } from "../plan.ts";
import { after, exchangesOf, model, now, someDisabled, type Kind } from "./kind.ts";

/** Actions are not answered while readings are, and there is something to be acted upon. */

/** For how long the aggregator answers no action, and what it does instead. */
function silence(dice: Dice, member: Member, fault: object): Happening[] {
  const until = MINUTE + dice.upTo(2 * MINUTE);
  return ["enableExchange", "enablePair", "forceCancel"].flatMap((endpoint) => [
    now(model(member, { do: "set_fault", endpoint, fault })),
    after(until, model(member, { do: "clear_faults", endpoint })),
  ]);
}

function stuckOrders(member: Member): Happening[] {
  return member.watched.watch.liquidations.flatMap(({ id }) => [
    now(model(member, { do: "set_order", id, status: "ROUTING" })),
    after(1, model(member, { do: "freeze_order", id })),
  ]);
}

/** Of another rule than exchanges, so that their storm does not hold these back. */
function somePairs(dice: Dice, member: Member): Happening[] {
  return dice
    .some(exchangesOf(member), 3)
    .flatMap(({ name: exchange, pairs = [] }) =>
      pairs.slice(0, 1).map((pair) => now(model(member, { do: "disable_pair", exchange, pair }))),
    );
}

export const ACTION_TROUBLES: readonly Kind[] = [
  {
    // Those that follow wait for their turn behind those that hang.
    name: "actions hang",
    every: 3 * MINUTE,
    make: (dice, member, { isTold }) => {
      const hang = silence(dice, member, { kind: "hang" });
      return isTold
        ? hang
        : [...hang, ...someDisabled(dice, member, 3), ...somePairs(dice, member)];
    },
  },
  {
    // And readings lag behind, as from a cache: nothing shows that what was sent was carried out.
    name: "answers of actions are lost",
    every: 3 * MINUTE,
    make: (dice, member, { isTold }) => {
      const lag = MINUTE + dice.upTo(2 * MINUTE);
      const lost = [
        ...silence(dice, member, { kind: "timeout_after_applying" }),
        after(2, model(member, { do: "set_fault", endpoint: "all", fault: { kind: "stale" } })),
        after(lag, model(member, { do: "clear_faults", endpoint: "all" })),
      ];
      if (isTold) return lost;
      return [...lost, ...stuckOrders(member), ...someDisabled(dice, member, 2)];
    },
  },
];
