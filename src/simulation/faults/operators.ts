import { MINUTE, SECOND } from "../../domain/time.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import { DEFAULT_SENDERS } from "../../simulator/model/default-world.ts";
import type { Member, What } from "../plan.ts";
import { after, exchangesOf, now, someDisabled, type Kind } from "./kind.ts";

/** What people do to the watchdog. */

const command = (by: string, what: Extract<What, { do: "command" }>["command"]): What => ({
  do: "command",
  by,
  command: what,
});

/** What the model knows, and the config does not name: who names an entry that it has is refused. */
function unwatchedOf({ watched, world }: Member): WatchEntry[] {
  const known = new Set([
    ...watched.watch.liquidations.map(({ id }) => id),
    ...watched.watch.senders.map(({ address }) => address),
  ]);
  const orders = (world.liquidations ?? []).map(({ id }) => ({ kind: "liquidation", target: id }));
  const senders = world.senders ?? DEFAULT_SENDERS;
  return [...orders, ...senders.map((target) => ({ kind: "sender", target }))].filter(
    ({ target }) => !known.has(target),
  );
}

export const OPERATOR_TROUBLES: readonly Kind[] = [
  {
    name: "reload",
    every: 3 * MINUTE,
    make: (dice, _member, { variants }) => [
      now({ do: "reload", variant: dice.between(0, variants - 1) }),
    ],
  },
  {
    name: "kill switch",
    every: 6 * MINUTE,
    make: (dice) => {
      const until = SECOND + dice.upTo(2 * MINUTE);
      if (dice.chance(0.5))
        return [
          now({ do: "kill_file", exists: true }),
          after(until, { do: "kill_file", exists: false }),
        ];
      return [
        now(command("alice", { name: "kill", source: "operator" })),
        after(until, command("alice", { name: "unkill", source: "operator" })),
      ];
    },
  },
  {
    name: "restart under the kill switch",
    every: 5 * MINUTE,
    make: (dice, member, { variants, isTold }) => {
      const variant = dice.between(0, variants - 1);
      const killed = [
        now(command("bob", { name: "kill", source: "operator" })),
        after(5 * SECOND, { do: "restart", downFor: SECOND, variant }),
        after(
          MINUTE + dice.upTo(2 * MINUTE),
          command("bob", { name: "unkill", source: "operator" }),
        ),
      ];
      return isTold ? killed : [...killed, ...someDisabled(dice, member, dice.between(1, 3))];
    },
  },
  {
    name: "holds",
    every: 3 * MINUTE,
    make: (dice, member, { until }) => {
      const exchange = dice.oneOf(exchangesOf(member)).name;
      const scope = dice.oneOf([
        {},
        { kind: "exchange" },
        { kind: "exchange", id: exchange },
        { aggregator: member.watched.name },
        { rule: "ExchangeDisabled" },
      ]);
      return [
        now({ do: "hold", by: "alice", scope, length: Math.round(MINUTE + dice.upTo(until)) }),
        after(dice.upTo(4 * MINUTE), { do: "end_longest", what: "hold" }),
      ];
    },
  },
  {
    name: "outage under a hold",
    every: 4 * MINUTE,
    make: (dice, member, { isTold }) => {
      const scope = { aggregator: member.watched.name, kind: "exchange" };
      const length = Math.round(MINUTE + dice.upTo(2 * MINUTE));
      const held = now({ do: "hold", by: "bob", scope, length });
      return isTold ? [held] : [held, ...someDisabled(dice, member, dice.between(2, 4))];
    },
  },
  {
    name: "silences",
    every: 5 * MINUTE,
    make: (dice, member) => [
      now({
        do: "silence",
        by: "bob",
        scope: { aggregator: member.watched.name },
        length: Math.round(dice.upTo(10 * MINUTE)),
      }),
      after(dice.upTo(5 * MINUTE), { do: "end_longest", what: "silence" }),
    ],
  },
  {
    name: "approvals",
    every: MINUTE,
    make: (dice) => {
      const by = dice.oneOf(["alice", "bob"]);
      const decide = { do: "decide", by, approves: dice.chance(0.85) } as const;
      // Who is in doubt whether it was heard says it again.
      return dice.chance(0.3) ? [now(decide), after(SECOND, decide)] : [now(decide)];
    },
  },
  {
    name: "watch lists",
    every: 3 * MINUTE,
    make: (dice, member) => {
      const unwatched = unwatchedOf(member);
      if (unwatched.length === 0) return [];
      const { name: aggregator } = member.watched;
      const entry = dice.oneOf(unwatched);
      return [
        now(command("alice", { name: "watch", aggregator, entry })),
        after(
          SECOND + dice.upTo(6 * MINUTE),
          command("bob", { name: "unwatch", aggregator, entry }),
        ),
      ];
    },
  },
  {
    name: "quarantine released",
    every: 5 * MINUTE,
    make: () => [now({ do: "end_longest", what: "quarantine" })],
  },
];
