import { MINUTE, type Millis } from "../../domain/time.ts";
import type { Dice } from "./dice.ts";
import type { Happening, Member } from "../plan.ts";
import { after, exchangesOf, model, now, someDisabled, type Kind } from "./kind.ts";

/** Actions come to nothing while readings are answered, and there is something to be acted upon. */

/** What the aggregator does to all actions, and until when. */
function trouble(member: Member, fault: object, until: Millis): Happening[] {
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

/** Of another rule than the exchange, so that both are acted upon in one step, and no storm holds them back. */
function somePair(dice: Dice, member: Member): Happening[] {
  const { name: exchange, pairs = [] } = dice.oneOf(exchangesOf(member));
  const [pair] = pairs;
  return pair === undefined ? [] : [now(model(member, { do: "disable_pair", exchange, pair }))];
}

export const ACTION_TROUBLES: readonly Kind[] = [
  {
    // Those that follow wait for their turn behind those that hang.
    name: "actions hang",
    every: 3 * MINUTE,
    make: (dice, member, { isTold }) => {
      const hang = trouble(member, { kind: "hang" }, MINUTE + dice.upTo(2 * MINUTE));
      return isTold ? hang : [...hang, ...someDisabled(dice, member, 1), ...somePair(dice, member)];
    },
  },
  {
    // And readings lag behind, as from a cache: nothing shows that what was sent was carried out.
    name: "answers of actions are lost",
    every: 3 * MINUTE,
    make: (dice, member, { isTold }) => {
      const lag = MINUTE + dice.upTo(2 * MINUTE);
      const lost = [
        ...trouble(member, { kind: "timeout_after_applying" }, MINUTE + dice.upTo(2 * MINUTE)),
        after(2, model(member, { do: "set_fault", endpoint: "all", fault: { kind: "stale" } })),
        after(lag, model(member, { do: "clear_faults", endpoint: "all" })),
      ];
      if (isTold) return lost;
      return [...lost, ...stuckOrders(member), ...someDisabled(dice, member, 2)];
    },
  },
  {
    // And other limits come while what was tried is counted.
    name: "actions have no effect",
    every: 5 * MINUTE,
    make: (dice, member, { variants, isTold }) => {
      const until = 3 * MINUTE + dice.upTo(2 * MINUTE);
      const variant = dice.between(0, variants - 1);
      const lies = [
        ...trouble(member, { kind: "lie" }, until),
        after(until - dice.upTo(MINUTE), { do: "reload", variant }),
      ];
      return isTold ? lies : [...lies, ...someDisabled(dice, member, 1)];
    },
  },
];
