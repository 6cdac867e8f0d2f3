import { DAY, MINUTE, SECOND } from "../../domain/time.ts";
import { DISK_FAULTS } from "../machine/disk.ts";
import { BOUNDARIES } from "../plan.ts";
import { fault, someVariant, type FaultKind, type Scene } from "./fault-kind.ts";

function someCrash(scene: Scene) {
  const { random } = scene;
  return {
    do: "crash",
    boundary: random.oneOf(BOUNDARIES),
    downFor: random.chance(0.5) ? 1 : Math.round(random.upTo(2 * MINUTE)),
    variant: someVariant(scene),
  } as const;
}

/** Faults of the machine that the watchdog runs on. */
export const MACHINE_FAULTS: readonly FaultKind[] = [
  fault("crashes at every commit and effect boundary", 4 * MINUTE, (scene) => [someCrash(scene)]),
  fault("clean restarts", 6 * MINUTE, (scene) => {
    const downFor = Math.round(scene.random.upTo(MINUTE));
    return [{ do: "restart", downFor, variant: someVariant(scene) }];
  }),
  fault(
    "commits that fail at their beginning, in the middle or at their end, or that report a failure although they are on disk",
    5 * MINUTE,
    ({ random }) => [
      { do: "disk", fault: random.oneOf(DISK_FAULTS) },
      { at: SECOND / 10 + random.upTo(random.oneOf([2, 30]) * SECOND), do: "disk", fault: "none" },
    ],
  ),
  fault("the same, only at the next action", 4 * MINUTE, ({ random }) => [
    { do: "disk_at_action", fault: random.oneOf(DISK_FAULTS) },
  ]),
  fault("a slow check of the journal after the next start", 6 * MINUTE, (scene) => {
    const { random } = scene;
    const checkTakes = random.oneOf([1, 5, 30, 90]) * SECOND;
    return [
      { do: "journal", isDamaged: random.chance(0.5), checkTakes },
      { do: "crash", boundary: "now", downFor: SECOND, variant: someVariant(scene) },
      { at: random.upTo(3 * MINUTE), do: "repair_journal" },
    ];
  }),
  fault("slow commits", 5 * MINUTE, ({ random }) => [
    { do: "slow_disk", length: random.oneOf([5, 50, 500, 2_000]) },
    { at: 5 * SECOND + random.upTo(MINUTE), do: "slow_disk", length: 0 },
  ]),
  fault("a process that stands still, or a machine that sleeps", 5 * MINUTE, ({ random }) => [
    { do: "stall", ...random.stall([1, 5, 20, 90, 300]) },
  ]),
  fault("the same between a reading and the action that it confirms", MINUTE, ({ random }) => [
    { do: "stall_at_confirmation", ...random.stall([4, 4, 9, 9, 20]) },
  ]),
  fault("the same between the commit of an action and its sending", 2 * MINUTE, ({ random }) => [
    { do: "stall_at_action", ...random.stall([1, 4, 20, 300]) },
  ]),
  fault("a wall clock that is wrong by up to 400 days", 10 * MINUTE, ({ random }) => [
    { do: "clock", error: random.oneOf([-1, 0, 3, 400]) * DAY },
  ]),
  fault("a wall clock that is wrong by up to an hour either way", 5 * MINUTE, ({ random }) => {
    const seconds = random.oneOf([-3_600, -90, -10, -1, 0, 1, 10, 90, 3_600]);
    return [{ do: "clock", error: seconds * SECOND }];
  }),
];

/** Faults in which commits that the disk had not synced are lost. */
export const POWER_FAULTS: readonly FaultKind[] = [
  fault(
    "the power fails at every commit and effect boundary, and everything unsynced is lost",
    MINUTE,
    (scene) => [{ ...someCrash(scene), losesPower: true }],
  ),
];
