import { write } from "node:fs";
import { performance } from "node:perf_hooks";
import { workerData } from "node:worker_threads";
import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import { SHARED, type GuardData, type LastLine } from "./loop-guard.ts";

/** How often it looks. */
const LOOK_EVERY: Millis = SECOND;

/** The last line gets so long: standard output may be just what everything waits for. */
const LAST_LINE_GETS: Millis = SECOND;

/** What was seen at one look. */
export type Look = { readonly ticks: number; readonly turns: number };

/**
 * Says when the loop has stood still for too long. Only time in which it could look itself counts, and of one
 * look never more than two intervals: a machine that was suspended, or a process that was stopped, has not
 * been stuck, and gets its time anew when it goes on.
 */
export function createStillness(
  stuckAfterMs: Millis,
): (look: Look, passedMs: Millis) => string | undefined {
  let last: Look = { ticks: -1, turns: -1 };
  let stillMs = 0;
  let blockedMs = 0;
  return (look, passedMs) => {
    const counted = Math.min(passedMs, 2 * LOOK_EVERY);
    stillMs = look.ticks === last.ticks ? stillMs + counted : 0;
    blockedMs = look.turns === last.turns ? blockedMs + counted : 0;
    last = look;
    if (stillMs < stuckAfterMs) return undefined;
    const still = formatDuration(stillMs);
    return blockedMs > 2 * LOOK_EVERY
      ? `stuck: the event loop is blocked, and no tick was handled for ${still}`
      : `stuck: the event loop turns, and yet no tick was handled for ${still}`;
  };
}

/** Runs in the guard's thread; `end` ends the process at once, whatever the main thread does. */
export function watchLoop(end: () => void): void {
  const { shared, stuckAfterMs, last } = workerData as GuardData;
  const judge = createStillness(stuckAfterMs);
  let lookedAt = performance.now();
  setInterval(() => {
    const now = performance.now();
    const look = {
      ticks: Atomics.load(shared, SHARED.ticks),
      turns: Atomics.load(shared, SHARED.turns),
    };
    const stuck = judge(look, now - lookedAt);
    lookedAt = now;
    if (stuck === undefined || Atomics.load(shared, SHARED.stopped) === 1) return;
    setTimeout(end, LAST_LINE_GETS);
    write(last.descriptor, lastLine(stuck, last.format), end);
  }, LOOK_EVERY);
}

export function lastLine(message: string, format: LastLine["format"]): string {
  const time = new Date().toISOString();
  const text = `${message}; the process ends itself, to be restarted`;
  if (format === "text") return `FATAL ${time} aggwatch is ${text}\n`;
  return `${JSON.stringify({ level: "fatal", time, msg: text })}\n`;
}
