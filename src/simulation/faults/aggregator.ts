import { MINUTE, SECOND } from "../../domain/time.ts";
import { DEFAULT_SENDERS } from "../../simulator/model/default-world.ts";
import { after, exchangesOf, model, now, someDisabled, type Kind } from "./kind.ts";

/** What befalls an aggregator, and is for the watchdog to see and to mend. */
export const MISFORTUNES: readonly Kind[] = [
  {
    name: "exchange",
    every: 2 * MINUTE,
    make: (dice, member) => {
      const exchange = dice.oneOf(exchangesOf(member)).name;
      const bad = now(model(member, { do: "disable_exchange", exchange }));
      if (dice.chance(0.7)) return [bad];
      const good = model(member, { do: "enable_exchange", exchange });
      return [bad, after(dice.upTo(5 * MINUTE), good)];
    },
  },
  {
    name: "pair",
    every: 3 * MINUTE,
    make: (dice, member) => {
      const { name: exchange, pairs = [] } = dice.oneOf(exchangesOf(member));
      const pair = pairs.length === 0 ? undefined : dice.oneOf(pairs);
      return pair === undefined ? [] : [now(model(member, { do: "disable_pair", exchange, pair }))];
    },
  },
  {
    name: "order",
    every: 6 * MINUTE,
    make: (dice, member) => {
      const { liquidations } = member.watched.watch;
      if (liquidations.length === 0) return [];
      const { id } = dice.oneOf(liquidations);
      return [
        now(model(member, { do: "set_order", id, status: dice.oneOf(["ACCEPTED", "ROUTING"]) })),
        after(1, model(member, { do: "freeze_order", id })),
      ];
    },
  },
  {
    name: "pool and swap",
    every: 6 * MINUTE,
    make: (dice, member) => {
      const [pool] = member.world.pools ?? [];
      const sender = dice.oneOf(DEFAULT_SENDERS);
      const swap = model(member, { do: "start_swap", sender, stuck: true });
      if (pool === undefined || dice.chance(0.5)) return [now(swap)];
      const { factory, pair } = pool;
      return [now(model(member, { do: "drain_pool", factory, pair, ratio: dice.upTo(0.9) }))];
    },
  },
];

/** Those that only some seeds have. */
export const RARE_MISFORTUNES: readonly Kind[] = [
  {
    name: "flapping",
    every: 6 * MINUTE,
    make: (dice, member) => {
      const exchange = dice.oneOf(exchangesOf(member)).name;
      const every = `${dice.between(15, 120)}s`;
      return [now(model(member, { do: "flap", exchange, every, times: dice.between(2, 10) }))];
    },
  },

  {
    name: "adversary",
    every: 8 * MINUTE,
    make: (dice, { watched: { name: aggregator } }) => [
      now({
        do: "adversary",
        aggregator,
        after: SECOND + Math.round(dice.upTo(MINUTE)),
        times: dice.between(1, 6),
      }),
    ],
  },

  {
    name: "mass outage",
    every: 8 * MINUTE,
    make: (dice, member) => someDisabled(dice, member, dice.between(2, 8)),
  },
];
