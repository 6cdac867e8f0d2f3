import { DAY, MINUTE, SECOND } from "../../domain/time.ts";
import { DISK_FAULTS } from "../machine/disk.ts";
import { BOUNDARIES, type Boundary, type Stall } from "../plan.ts";
import { after, now, type FaultContext, type FaultKind } from "./fault-kind.ts";
import type { RandomChoices } from "./random-choices.ts";

function crashAt(boundary: Boundary, random: RandomChoices, { variants }: FaultContext) {
  return {
    do: "crash",
    boundary,
    downFor: random.chance(0.5) ? 1 : Math.round(random.upTo(2 * MINUTE)),
    variant: random.between(0, variants - 1),
  } as const;
}

function stallOf(random: RandomChoices, seconds: readonly number[]): Stall {
  return { length: random.oneOf(seconds) * SECOND, asleep: random.chance(0.5) };
}

/** Faults of the machine that the watchdog runs on. */
export const MACHINE_FAULTS: readonly FaultKind[] = [
  {
    name: "crashes at every commit and effect boundary",
    every: 4 * MINUTE,
    make: (random, _member, around) => [now(crashAt(random.oneOf(BOUNDARIES), random, around))],
  },
  {
    name: "clean restarts",
    every: 6 * MINUTE,
    make: (random, _member, { variants }) => [
      now({
        do: "restart",
        downFor: Math.round(random.upTo(MINUTE)),
        variant: random.between(0, variants - 1),
      }),
    ],
  },
  {
    name: "commits that fail at their beginning, in the middle or at their end, or that report a failure although they are on disk",
    every: 5 * MINUTE,
    make: (random) => [
      now({ do: "disk", fault: random.oneOf(DISK_FAULTS) }),
      after(SECOND / 10 + random.upTo(random.oneOf([2, 30]) * SECOND), {
        do: "disk",
        fault: "none",
      }),
    ],
  },
  {
    name: "the same, only at the next action",
    every: 4 * MINUTE,
    make: (random) => [now({ do: "disk_at_action", fault: random.oneOf(DISK_FAULTS) })],
  },
  {
    name: "a slow check of the journal after the next start",
    every: 6 * MINUTE,
    make: (random, _member, { variants }) => {
      const checkTakes = random.oneOf([1, 5, 30, 90]) * SECOND;
      return [
        now({ do: "journal", isDamaged: random.chance(0.5), checkTakes }),
        now({
          do: "crash",
          boundary: "now",
          downFor: SECOND,
          variant: random.between(0, variants - 1),
        }),
        after(random.upTo(3 * MINUTE), { do: "repair_journal" }),
      ];
    },
  },
  {
    name: "slow commits",
    every: 5 * MINUTE,
    make: (random) => [
      now({ do: "slow_disk", length: random.oneOf([5, 50, 500, 2_000]) }),
      after(5 * SECOND + random.upTo(MINUTE), { do: "slow_disk", length: 0 }),
    ],
  },
  {
    name: "a process that stands still, or a machine that sleeps",
    every: 5 * MINUTE,
    make: (random) => [now({ do: "stall", ...stallOf(random, [1, 5, 20, 90, 300]) })],
  },
  {
    name: "the same between a reading and the action that it confirms",
    every: MINUTE,
    make: (random) => [now({ do: "stall_at_confirmation", ...stallOf(random, [4, 4, 9, 9, 20]) })],
  },
  {
    name: "the same between the commit of an action and its sending",
    every: 2 * MINUTE,
    make: (random) => [now({ do: "stall_at_action", ...stallOf(random, [1, 4, 20, 300]) })],
  },
  {
    name: "a wall clock that is wrong by up to 400 days",
    every: 10 * MINUTE,
    make: (random) => [now({ do: "clock", error: random.oneOf([-1, 0, 3, 400]) * DAY })],
  },
  {
    name: "a wall clock that is wrong by up to an hour either way",
    every: 5 * MINUTE,
    make: (random) => [
      now({
        do: "clock",
        error: random.oneOf([-3_600, -90, -10, -1, 0, 1, 10, 90, 3_600]) * SECOND,
      }),
    ],
  },
];

/** Faults in which commits that the disk had not synced are lost. */
export const POWER_FAULTS: readonly FaultKind[] = [
  {
    name: "the power fails at every commit and effect boundary, and everything unsynced is lost",
    every: MINUTE,
    make: (random, _member, around) => [
      now({ ...crashAt(random.oneOf(BOUNDARIES), random, around), losesPower: true }),
    ],
  },
];
