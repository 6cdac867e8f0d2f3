import type { Millis } from "../../domain/time.ts";

/** The longest that a timer of Node waits; after a longer time it would end at once. */
export const LONGEST_TIMER: Millis = 2 ** 31 - 1;

/**
 * Waits, or ends early when the signal is aborted; true if it waited to the end. It uses the global
 * timer, which tests can drive, unlike the one of node:timers/promises.
 */
export function pause(lengthMs: Millis, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isWhole: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(isWhole);
    };
    const onAbort = () => end(false);
    let timer: NodeJS.Timeout;
    const wait = (restMs: Millis) => {
      const partMs = Math.min(restMs, LONGEST_TIMER);
      timer = setTimeout(() => (partMs < restMs ? wait(restMs - partMs) : end(true)), partMs);
    };
    wait(lengthMs);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
