import type { Millis } from "../domain/time.ts";

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

/** Waits so long for all of them; true if they ended. */
export async function settleWithin(
  running: readonly Promise<void>[],
  graceMs: Millis,
): Promise<boolean> {
  if (running.length === 0) return true;
  const waiting = new AbortController();
  const ended = Promise.allSettled(running).then(() => true);
  const tooLate = pause(graceMs, waiting.signal).then(() => false);
  const isEnded = await Promise.race([ended, tooLate]);
  waiting.abort();
  return isEnded;
}
