import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { Millis } from "../../domain/time.ts";

/** How long a scrape works before others have their turn. */
const SLICE: Millis = 4;

/** Lets the event loop turn between two pieces of work, where it has waited for long enough. */
export type Turns = {
  /** It is time to stop for a moment. */
  readonly isDue: () => boolean;
  /** Comes back when everything else that was ready has had its turn. */
  readonly pass: () => Promise<void>;
};

export function createTurns(): Turns {
  let began = performance.now();
  return {
    isDue: () => performance.now() - began > SLICE,
    pass: async () => {
      await setImmediate();
      began = performance.now();
    },
  };
}
