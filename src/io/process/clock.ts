import { performance } from "node:perf_hooks";
import type { Clock, Instant, Millis } from "../../domain/time.ts";

/** The two clocks of a machine: `wall` may be set to anything at any time, `steady` only counts up. */
export type ClockSources = {
  /** Milliseconds since the epoch. */
  readonly wall: () => Instant;
  /** Milliseconds since some fixed instant. */
  readonly steady: () => Millis;
};

/** Milliseconds since some fixed instant, to measure durations. */
export function steadyNow(): Millis {
  return performance.now();
}

export const SYSTEM: ClockSources = { wall: () => Date.now(), steady: steadyNow };

/** Smaller differences of the two clocks are rounding. */
const ASLEEP: Millis = 100;

/**
 * Milliseconds that passed in the outside world, at least: including the time that the machine slept, which the wall
 * clock shows and the steady clock leaves out. It never counts back.
 */
export function passingClock({ wall, steady }: ClockSources = SYSTEM): () => Millis {
  let passed: Millis = 0;
  let seen = { wall: wall(), steady: steady() };
  return () => {
    const now = { wall: wall(), steady: steady() };
    const ran = Math.max(0, now.steady - seen.steady);
    const alsoAsleep = now.wall - seen.wall;
    passed += alsoAsleep - ran > ASLEEP ? alsoAsleep : ran;
    seen = now;
    return passed;
  };
}

/** Smaller differences are the two clocks' own drift, not a jump. */
const JUMP: Millis = 1_000;

/** How much slower it runs while it is ahead of the wall clock. */
const SLOWING = 0.1;

/**
 * The wall clock, but never backwards, so that ages are never negative and later requests never look older. It counts
 * by the steady clock. If the wall clock is ahead (a suspended machine, a corrected clock), it jumps to it; if the wall
 * clock is behind, it runs a tenth slower until they agree. Instants are whole milliseconds.
 */
export function systemClock(notBefore: Instant = 0, sources: ClockSources = SYSTEM): Clock {
  let now = Math.max(sources.wall(), notBefore);
  let countedTo = sources.steady();
  return {
    now: () => {
      const steady = sources.steady();
      const passed = Math.max(0, steady - countedTo);
      countedTo = steady;
      const wall = sources.wall();
      const ahead = now + passed - wall;
      if (ahead < -JUMP) now = wall;
      else now += ahead > JUMP ? passed * (1 - SLOWING) : passed;
      return Math.floor(now);
    },
  };
}

/** When this process was started, by the wall clock. */
export const PROCESS_STARTED_AT: Instant = Math.round(performance.timeOrigin);
