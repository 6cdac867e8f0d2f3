import { MINUTE, SECOND } from "../../domain/time.ts";
import type { RandomChoices } from "./random-choices.ts";
import { after, now, type FaultContext, type FaultKind } from "./fault-kind.ts";
import type { EventKind } from "../plan.ts";

/** The owner dies, so that another takes over. */
function ownerDies(random: RandomChoices, { variants }: FaultContext): EventKind {
  const downFor = Math.round(random.upTo(30 * SECOND));
  return { do: "crash", boundary: "now", downFor, variant: random.between(0, variants - 1) };
}

/** The replicas' database loses commits that it had acknowledged: an asynchronous copy of it is promoted. */
export const LOSSES: readonly FaultKind[] = [
  {
    name: "the commits of the last moments or minutes are lost",
    every: 4 * MINUTE,
    make: (random) => {
      const length = random.oneOf([0.2, 1, 3, 10, 30, 120]) * SECOND;
      return [now({ do: "lose_commits", from: "now", after: length })];
    },
  },
  {
    name: "the commit of an action is lost",
    every: 2 * MINUTE,
    make: (random) => {
      const length = random.oneOf([5, 20, 100, 1_000, 5_000]);
      return [now({ do: "lose_commits", from: "next_action", after: length })];
    },
  },
  {
    name: "a take-over is lost while the new owner is suspended",
    every: 3 * MINUTE,
    make: (random, _member, around) => [
      now({
        do: "lose_commits",
        from: "next_take_over",
        after: random.oneOf([20, 200, 2_000]),
        stall: { length: random.oneOf([1, 5, 18, 40]) * SECOND, asleep: random.chance(0.5) },
      }),
      after(1, ownerDies(random, around)),
    ],
  },
  {
    name: "a take-over is lost while the new owner is cut off from the database",
    every: 3 * MINUTE,
    make: (random, _member, around) => {
      const cutOff = (18 + random.upTo(10)) * SECOND;
      const length = random.oneOf([2, 10, 20, 40]) * SECOND;
      return [
        now({ do: "lose_commits", from: "next_take_over", after: cutOff + SECOND }),
        after(1, ownerDies(random, around)),
        after(cutOff, { do: "partition", whom: "owner", length }),
      ];
    },
  },
];
