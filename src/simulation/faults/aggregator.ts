import { MINUTE, SECOND, type Millis } from "../../domain/time.ts";
import type { Member, ScheduledEvent } from "../plan.ts";
import type { RandomChoices } from "./random-choices.ts";
import { DEFAULT_SENDERS } from "../../simulator/model/default-world.ts";
import { after, exchangesOf, control, now, someDisabled, type FaultKind } from "./fault-kind.ts";

/** Faults of an aggregator, for the watchdog to notice and repair. */
export const AGGREGATOR_FAULTS: readonly FaultKind[] = [
  {
    name: "an exchange is disabled",
    every: 2 * MINUTE,
    make: (random, member) => {
      const exchange = random.oneOf(exchangesOf(member)).name;
      const bad = now(control(member, { do: "disable_exchange", exchange }));
      if (random.chance(0.7)) return [bad];
      const good = control(member, { do: "enable_exchange", exchange });
      return [bad, after(random.upTo(5 * MINUTE), good)];
    },
  },
  {
    name: "a pair is disabled",
    every: 3 * MINUTE,
    make: (random, member) => {
      const { name: exchange, pairs = [] } = random.oneOf(exchangesOf(member));
      const pair = pairs.length === 0 ? undefined : random.oneOf(pairs);
      return pair === undefined
        ? []
        : [now(control(member, { do: "disable_pair", exchange, pair }))];
    },
  },
  {
    name: "a liquidation order is stuck",
    every: 6 * MINUTE,
    make: (random, member) => {
      const { liquidations } = member.watched.watch;
      if (liquidations.length === 0) return [];
      const { id } = random.oneOf(liquidations);
      return [
        now(
          control(member, { do: "set_order", id, status: random.oneOf(["ACCEPTED", "ROUTING"]) }),
        ),
        after(1, control(member, { do: "freeze_order", id })),
      ];
    },
  },
  {
    name: "a pool is drained, or a swap is stuck",
    every: 6 * MINUTE,
    make: (random, member) => {
      const [pool] = member.world.pools ?? [];
      const sender = random.oneOf(DEFAULT_SENDERS);
      const swap = control(member, { do: "start_swap", sender, stuck: true });
      if (pool === undefined || random.chance(0.5)) return [now(swap)];
      const { factory, pair } = pool;
      return [now(control(member, { do: "drain_pool", factory, pair, ratio: random.upTo(0.9) }))];
    },
  },
];

/** Up to 8 exchanges are disabled in turn, `apart` from each other; if given, each is enabled again after `length`. */
function inTurn(
  random: RandomChoices,
  member: Member,
  apart: Millis,
  length?: Millis,
): ScheduledEvent[] {
  return random.some(exchangesOf(member), 8).flatMap(({ name: exchange }, index) => {
    const at = Math.round(index * apart);
    const bad = after(at, control(member, { do: "disable_exchange", exchange }));
    if (length === undefined) return [bad];
    return [bad, after(at + length, control(member, { do: "enable_exchange", exchange }))];
  });
}

/** Faults that only some seeds have. */
export const RARE_AGGREGATOR_FAULTS: readonly FaultKind[] = [
  {
    name: "an exchange flaps",
    every: 6 * MINUTE,
    make: (random, member) => {
      const exchange = random.oneOf(exchangesOf(member)).name;
      const every = `${random.between(15, 120)}s`;
      return [now(control(member, { do: "flap", exchange, every, times: random.between(2, 10) }))];
    },
  },

  {
    name: "an adversary undoes repairs",
    every: 8 * MINUTE,
    make: (random, { watched: { name: aggregator } }) => [
      now({
        do: "adversary",
        aggregator,
        after: SECOND + Math.round(random.upTo(MINUTE)),
        times: random.between(1, 6),
      }),
    ],
  },

  {
    name: "many exchanges are disabled at once",
    every: 8 * MINUTE,
    make: (random, member) => someDisabled(random, member, random.between(2, 8)),
  },

  {
    name: "exchanges are disabled one after another",
    every: 8 * MINUTE,
    make: (random, member) => inTurn(random, member, 100 + random.upTo(30 * SECOND)),
  },

  {
    // Each exchange is enabled before the next is disabled, as in an upgrade, unless a repair was quicker.
    name: "a rolling maintenance",
    every: 12 * MINUTE,
    make: (random, member) => {
      const length = random.between(20, 120) * SECOND;
      return inTurn(random, member, length, length);
    },
  },
];
