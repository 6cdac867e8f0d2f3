import type { Millis } from "../../domain/time.ts";

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
    const timer = setTimeout(() => end(true), lengthMs);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
