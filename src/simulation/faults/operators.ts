import { MINUTE, SECOND } from "../../domain/time.ts";
import type { WatchEntry } from "../../domain/watch.ts";
import { DEFAULT_SENDERS } from "../../simulator/model/default-world.ts";
import type { Member, EventKind } from "../plan.ts";
import { after, exchangesOf, now, someDisabled, type FaultKind } from "./fault-kind.ts";

/** What people do to the watchdog. */

const command = (
  by: string,
  what: Extract<EventKind, { do: "command" }>["command"],
): EventKind => ({
  do: "command",
  by,
  command: what,
});

/** Entries that the model knows and the config does not name: an entry of the config cannot be added. */
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

export const OPERATOR_EVENTS: readonly FaultKind[] = [
  {
    name: "reloads with other rules and settings",
    every: 3 * MINUTE,
    make: (random, _member, { variants }) => [
      now({ do: "reload", variant: random.between(0, variants - 1) }),
    ],
  },
  {
    name: "the kill switch and the kill file",
    every: 6 * MINUTE,
    make: (random) => {
      const until = SECOND + random.upTo(2 * MINUTE);
      if (random.chance(0.5))
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
    name: "a restart while the kill switch is on",
    every: 5 * MINUTE,
    make: (random, member, { variants, hasScenario }) => {
      const variant = random.between(0, variants - 1);
      const killed = [
        now(command("bob", { name: "kill", source: "operator" })),
        after(5 * SECOND, { do: "restart", downFor: SECOND, variant }),
        after(
          MINUTE + random.upTo(2 * MINUTE),
          command("bob", { name: "unkill", source: "operator" }),
        ),
      ];
      return hasScenario
        ? killed
        : [...killed, ...someDisabled(random, member, random.between(1, 3))];
    },
  },
  {
    name: "holds",
    every: 3 * MINUTE,
    make: (random, member, { until }) => {
      const exchange = random.oneOf(exchangesOf(member)).name;
      const scope = random.oneOf([
        {},
        { kind: "exchange" },
        { kind: "exchange", id: exchange },
        { aggregator: member.watched.name },
        { rule: "ExchangeDisabled" },
      ]);
      return [
        now({ do: "hold", by: "alice", scope, length: Math.round(MINUTE + random.upTo(until)) }),
        after(random.upTo(4 * MINUTE), { do: "end_longest", what: "hold" }),
      ];
    },
  },
  {
    name: "exchanges that are disabled under a hold",
    every: 4 * MINUTE,
    make: (random, member, { hasScenario }) => {
      const scope = { aggregator: member.watched.name, kind: "exchange" };
      const length = Math.round(MINUTE + random.upTo(2 * MINUTE));
      const held = now({ do: "hold", by: "bob", scope, length });
      return hasScenario ? [held] : [held, ...someDisabled(random, member, random.between(2, 4))];
    },
  },
  {
    name: "silences",
    every: 5 * MINUTE,
    make: (random, member) => [
      now({
        do: "silence",
        by: "bob",
        scope: { aggregator: member.watched.name },
        length: Math.round(random.upTo(10 * MINUTE)),
      }),
      after(random.upTo(5 * MINUTE), { do: "end_longest", what: "silence" }),
    ],
  },
  {
    name: "approvals and denials by two persons",
    every: MINUTE,
    make: (random) => {
      const by = random.oneOf(["alice", "bob"]);
      const decide = { do: "decide", by, approves: random.chance(0.85) } as const;
      // An operator who is not sure that it worked repeats it.
      return random.chance(0.3) ? [now(decide), after(SECOND, decide)] : [now(decide)];
    },
  },
  {
    name: "entries added to watch lists and removed",
    every: 3 * MINUTE,
    make: (random, member) => {
      const unwatched = unwatchedOf(member);
      if (unwatched.length === 0) return [];
      const { name: aggregator } = member.watched;
      const entry = random.oneOf(unwatched);
      return [
        now(command("alice", { name: "watch", aggregator, entry })),
        after(
          SECOND + random.upTo(6 * MINUTE),
          command("bob", { name: "unwatch", aggregator, entry }),
        ),
      ];
    },
  },
  {
    name: "released quarantines",
    every: 5 * MINUTE,
    make: () => [now({ do: "end_longest", what: "quarantine" })],
  },
];
