import { performance } from "node:perf_hooks";
import type { Clock } from "../domain/time.ts";

/**
 * The wall clock, but never backwards: it runs by the monotonic clock from where it began, and jumps
 * ahead when the wall clock did (a suspended machine, a corrected clock). So ages are never negative,
 * and what was asked later never looks older.
 */
export function systemClock(notBefore = 0): Clock {
  let origin = Math.max(Date.now(), notBefore) - performance.now();
  return {
    now: () => {
      const steady = origin + performance.now();
      const wall = Date.now();
      if (wall - steady > JUMP_MS) {
        origin += wall - steady;
        return wall;
      }
      return Math.floor(steady);
    },
  };
}

/** Smaller differences are the two clocks' own drift, not a jump. */
const JUMP_MS = 1_000;
