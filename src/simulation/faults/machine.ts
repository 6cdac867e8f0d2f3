import { MINUTE, SECOND } from "../../domain/time.ts";
import { DISK_FAULTS } from "../machine/disk.ts";
import { BOUNDARIES } from "../plan.ts";
import { after, now, type Kind } from "./kind.ts";

/** What goes wrong with the machine that the watchdog runs on. */
export const MACHINE_TROUBLES: readonly Kind[] = [
  {
    name: "crash",
    every: 4 * MINUTE,
    make: (dice, _member, { variants }) => [
      now({
        do: "crash",
        boundary: dice.oneOf(BOUNDARIES),
        downFor: dice.chance(0.5) ? 1 : Math.round(dice.upTo(2 * MINUTE)),
        variant: dice.between(0, variants - 1),
      }),
    ],
  },
  {
    name: "restart",
    every: 6 * MINUTE,
    make: (dice, _member, { variants }) => [
      now({
        do: "restart",
        downFor: Math.round(dice.upTo(MINUTE)),
        variant: dice.between(0, variants - 1),
      }),
    ],
  },
  {
    name: "disk fault",
    every: 5 * MINUTE,
    make: (dice) => [
      now({ do: "disk", fault: dice.oneOf(DISK_FAULTS) }),
      after(SECOND / 10 + dice.upTo(dice.oneOf([2, 30]) * SECOND), { do: "disk", fault: "none" }),
    ],
  },
  {
    name: "disk fault at an action",
    every: 4 * MINUTE,
    make: (dice) => [now({ do: "disk_at_action", fault: dice.oneOf(DISK_FAULTS) })],
  },
  {
    name: "slow disk",
    every: 5 * MINUTE,
    make: (dice) => [
      now({ do: "slow_disk", length: dice.oneOf([5, 50, 500, 2_000]) }),
      after(5 * SECOND + dice.upTo(MINUTE), { do: "slow_disk", length: 0 }),
    ],
  },
  {
    name: "stall",
    every: 5 * MINUTE,
    make: (dice) => [now({ do: "stall", length: dice.oneOf([1, 5, 20, 90]) * SECOND })],
  },
  {
    name: "stall at a confirmation",
    every: MINUTE,
    make: (dice) => [
      now({ do: "stall_at_confirmation", length: dice.oneOf([4, 4, 9, 9, 20]) * SECOND }),
    ],
  },
  {
    name: "clock jump",
    every: 5 * MINUTE,
    make: (dice) => [
      now({ do: "clock", error: dice.oneOf([-3_600, -90, -10, -1, 0, 1, 10, 90, 3_600]) * SECOND }),
    ],
  },
];
