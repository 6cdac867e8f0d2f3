import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { Millis } from "../../domain/time.ts";

/** How long a scrape works before it yields to the event loop. */
const SLICE: Millis = 4;

/** Splits long work into slices, between which the event loop turns. */
export type TimeSlice = {
  readonly isOver: () => boolean;
  /** Yields to the event loop: resolves in the next slice, after everything else that was ready. */
  readonly next: () => Promise<void>;
};

export function createTimeSlice(): TimeSlice {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began > SLICE,
    next: async () => {
      await setImmediate();
      began = performance.now();
    },
  };
}
