import { write } from "node:fs";
import { performance } from "node:perf_hooks";
import { workerData } from "node:worker_threads";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import { SHARED, type GuardData, type LastLine } from "./loop-guard.ts";

/** How often the counts are sampled. */
const SAMPLE_EVERY: Millis = SECOND;

/** The time for the last line: standard output may be blocked, too. */
const LAST_LINE_GRACE: Millis = SECOND;

/** The counts that both threads share, at one instant. */
export type Sample = { readonly ticks: number; readonly turns: number };

/**
 * Detects that the loop has stood still for too long. Only time in which the detector ran counts, and at most two
 * intervals for one sample, so that a suspended machine or a stopped process is not taken for a stuck one.
 */
export function createStallDetector(
  stuckAfterMs: Millis,
): (sample: Sample, passedMs: Millis) => string | undefined {
  let last: Sample = { ticks: -1, turns: -1 };
  let stillMs = 0;
  let blockedMs = 0;
  return (sample, passedMs) => {
    const counted = Math.min(passedMs, 2 * SAMPLE_EVERY);
    stillMs = sample.ticks === last.ticks ? stillMs + counted : 0;
    blockedMs = sample.turns === last.turns ? blockedMs + counted : 0;
    last = sample;
    if (stillMs < stuckAfterMs) return undefined;
    const still = formatDuration(stillMs);
    return blockedMs > 2 * SAMPLE_EVERY
      ? `stuck: the event loop is blocked, and no tick was handled for ${still}`
      : `stuck: the event loop turns, and yet no tick was handled for ${still}`;
  };
}

/** Runs in the guard's thread; `end` ends the process at once, whatever the main thread does. */
export function guardLoop(end: () => void): void {
  const { shared, stuckAfterMs, last } = workerData as GuardData;
  const detect = createStallDetector(stuckAfterMs);
  let sampledAt = performance.now();
  setInterval(() => {
    const now = performance.now();
    const sample = {
      ticks: Atomics.load(shared, SHARED.ticks),
      turns: Atomics.load(shared, SHARED.turns),
    };
    const stuck = detect(sample, now - sampledAt);
    sampledAt = now;
    if (stuck === undefined || Atomics.load(shared, SHARED.stopped) === 1) return;
    setTimeout(end, LAST_LINE_GRACE);
    write(last.descriptor, lastLine(stuck, last.format), end);
  }, SAMPLE_EVERY);
}

export function lastLine(message: string, format: LastLine["format"]): string {
  const time = new Date().toISOString();
  const text = `${message}; the process ends itself, to be restarted`;
  if (format === "text") return `FATAL ${time} aggwatch is ${text}\n`;
  return `${JSON.stringify({ level: "fatal", time, msg: text })}\n`;
}
