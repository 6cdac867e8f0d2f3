import { MINUTE, SECOND } from "../../../domain/time.ts";
import type { What } from "../plan.ts";
import { after, exchangesOf, now, type Kind } from "./kind.ts";

/** What people do to the watchdog. */

const command = (by: string, what: Extract<What, { do: "command" }>["command"]): What => ({
  do: "command",
  by,
  command: what,
});

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
    make: (dice) => [
      now({ do: "decide", by: dice.oneOf(["alice", "bob"]), approves: dice.chance(0.85) }),
    ],
  },
  {
    name: "quarantine released",
    every: 5 * MINUTE,
    make: () => [now({ do: "end_longest", what: "quarantine" })],
  },
];
