import { MINUTE, type Millis } from "../../domain/time.ts";
import type { RandomChoices } from "./random-choices.ts";
import type { ScheduledEvent, Member } from "../plan.ts";
import { after, exchangesOf, control, now, someDisabled, type FaultKind } from "./fault-kind.ts";

/** Actions fail while readings are answered, and there are entities to act on. */

/** A fault of all actions, from now until an instant. */
function actionFault(member: Member, fault: object, until: Millis): ScheduledEvent[] {
  return ["enableExchange", "enablePair", "forceCancel"].flatMap((endpoint) => [
    now(control(member, { do: "set_fault", endpoint, fault })),
    after(until, control(member, { do: "clear_faults", endpoint })),
  ]);
}

function stuckOrders(member: Member): ScheduledEvent[] {
  return member.watched.watch.liquidations.flatMap(({ id }) => [
    now(control(member, { do: "set_order", id, status: "ROUTING" })),
    after(1, control(member, { do: "freeze_order", id })),
  ]);
}

/** A pair has another rule than an exchange, so one step acts on both, and no storm holds them back. */
function somePair(random: RandomChoices, member: Member): ScheduledEvent[] {
  const { name: exchange, pairs = [] } = random.oneOf(exchangesOf(member));
  const [pair] = pairs;
  return pair === undefined ? [] : [now(control(member, { do: "disable_pair", exchange, pair }))];
}

export const ACTION_FAULTS: readonly FaultKind[] = [
  {
    // Later actions wait for a slot behind those that hang.
    name: "actions hang, and later ones wait",
    every: 3 * MINUTE,
    make: (random, member, { hasScenario }) => {
      const hang = actionFault(member, { kind: "hang" }, MINUTE + random.upTo(2 * MINUTE));
      return hasScenario
        ? hang
        : [...hang, ...someDisabled(random, member, 1), ...somePair(random, member)];
    },
  },
  {
    // Readings lag behind, as from a cache: none shows that an action was applied.
    name: "answers of actions are lost, and readings are stale",
    every: 3 * MINUTE,
    make: (random, member, { hasScenario }) => {
      const lag = MINUTE + random.upTo(2 * MINUTE);
      const lost = [
        ...actionFault(
          member,
          { kind: "timeout_after_applying" },
          MINUTE + random.upTo(2 * MINUTE),
        ),
        after(2, control(member, { do: "set_fault", endpoint: "all", fault: { kind: "stale" } })),
        after(lag, control(member, { do: "clear_faults", endpoint: "all" })),
      ];
      if (hasScenario) return lost;
      return [...lost, ...stuckOrders(member), ...someDisabled(random, member, 2)];
    },
  },
  {
    // The reload changes the limits while attempts are counted.
    name: "actions have no effect, and a reload follows",
    every: 5 * MINUTE,
    make: (random, member, { variants, hasScenario }) => {
      const until = 3 * MINUTE + random.upTo(2 * MINUTE);
      const variant = random.between(0, variants - 1);
      const lies = [
        ...actionFault(member, { kind: "lie" }, until),
        after(until - random.upTo(MINUTE), { do: "reload", variant }),
      ];
      return hasScenario ? lies : [...lies, ...someDisabled(random, member, 1)];
    },
  },
];
