import { AsyncLocalStorage } from "node:async_hooks";
import type { Instant, Millis } from "../../domain/time.ts";

/** One of several machines in one virtual time. Code that runs on it sets its timers and reads its clocks. */
export type Machine = {
  /** The speed of its steady clock: 1.01 is one per cent too fast. */
  readonly rate: number;
  readonly wall: () => Instant;
  readonly steady: () => Millis;
  readonly setWallError: (error: Millis) => void;
  /** Does the work on the machine: at once, or when it wakes. */
  readonly run: (work: () => void) => void;
  /** Nothing runs on it for this long. If it sleeps, its steady clock and its timers stand still as well. */
  readonly pause: (length: Millis, asleep: boolean) => void;
  /** Nothing runs on it before this instant, which is past if it is awake. */
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

/** The machine that the caller runs on; undefined if it runs on none. */
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
