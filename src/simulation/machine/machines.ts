import { AsyncLocalStorage } from "node:async_hooks";
import type { Instant, Millis } from "../../domain/time.ts";

/** A machine of several, in one virtual time. What runs on it sets its timers and reads its clocks. */
export type Machine = {
  /** How fast its steady clock runs: 1.01 counts a hundredth too much. */
  readonly rate: number;
  readonly wall: () => Instant;
  readonly steady: () => Millis;
  readonly setWallError: (error: Millis) => void;
  /** Does the work there: at once, or when it runs again. */
  readonly run: (work: () => void) => void;
  /** Nothing runs on it for so long. If it sleeps, its steady clock and its timers stand still as well. */
  readonly pause: (length: Millis, asleep: boolean) => void;
  /** Until then nothing runs on it; an instant that is past if it runs. */
  readonly wakesAt: () => Instant;
  /** Ends the timers of its processes, as their death does. */
  readonly dropTimers: () => void;
};

type MachineTime = {
  readonly start: Instant;
  readonly now: () => Instant;
  readonly at: (at: Instant, run: () => void) => void;
  readonly delayOf: (machine: Machine, length: Millis) => void;
  readonly dropOf: (machine: Machine) => void;
};

const here = new AsyncLocalStorage<Machine>();

/** The machine that the code which asks runs on; undefined if it runs on none. */
export function currentMachine(): Machine | undefined {
  return here.getStore();
}

export function createMachine(time: MachineTime, rate: number): Machine {
  let wakesAt = Number.NEGATIVE_INFINITY;
  let sleptMs: Millis = 0;
  let wallError: Millis = 0;
  const passed = (): Millis => (time.now() - time.start) * rate;
  const machine: Machine = {
    rate,
    wall: () => Math.floor(time.start + passed() + wallError),
    steady: () => passed() - sleptMs * rate,
    setWallError: (error) => {
      wallError = error;
    },
    run: (work) => {
      if (wakesAt > time.now()) time.at(wakesAt, () => machine.run(work));
      else here.run(machine, work);
    },
    pause: (length, asleep) => {
      if (wakesAt > time.now()) return;
      wakesAt = time.now() + length;
      if (!asleep) return;
      sleptMs += length;
      time.delayOf(machine, length);
    },
    wakesAt: () => wakesAt,
    dropTimers: () => time.dropOf(machine),
  };
  return machine;
}
