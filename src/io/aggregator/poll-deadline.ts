import { SECOND, type Millis } from "../../domain/time.ts";
import { LONGEST_TIMER } from "../process/pause.ts";

/** Decides when a poll is cut off. */
export type PollDeadline = {
  /** Call it for each surface that was read. */
  readonly noteRead: () => void;
  /** How long a retry may still be waited for, from now on. */
  readonly leftMs: () => Millis;
  /** How long the poll may take, as far as it is known by now. */
  readonly allowedMs: () => Millis;
  readonly end: () => void;
};

/**
 * The time for a sweep follows from the configured rate, and a machine may be slower. If each sweep were cut off then,
 * none would ever be whole, and its unread surfaces would be unknown. So a sweep that still reads goes on, if at its
 * present speed it will have read all within this many times its time.
 */
export const MOST_TIMES = 10;
const LOOK_EVERY: Millis = SECOND;

export function startPollDeadline(
  poll: {
    readonly timeoutMs: Millis;
    /** The number of surfaces of a poll that may take longer; undefined if it may not. */
    readonly extendable: number | undefined;
    /** A poll that has read nothing for so long stands still. */
    readonly stillAfterMs: Millis;
  },
  cutOff: () => void,
): PollDeadline {
  const { timeoutMs, extendable, stillAfterMs } = poll;
  const startedAt = performance.now();
  let lastReadAt = startedAt;
  let read = 0;
  const elapsedMs = (): Millis => performance.now() - startedAt;
  const goesOn = (): boolean => {
    if (extendable === undefined || performance.now() - lastReadAt >= stillAfterMs) return false;
    return (elapsedMs() * extendable) / read <= MOST_TIMES * timeoutMs;
  };
  let allowedMs = timeoutMs;
  let timer = setTimeout(look, Math.min(timeoutMs, LONGEST_TIMER));
  function look(): void {
    if (!goesOn()) return cutOff();
    allowedMs += LOOK_EVERY;
    timer = setTimeout(look, LOOK_EVERY);
  }
  return {
    noteRead: () => {
      read += 1;
      lastReadAt = performance.now();
    },
    leftMs: () => Math.max(timeoutMs - elapsedMs(), goesOn() ? stillAfterMs : 0),
    allowedMs: () => allowedMs,
    end: () => clearTimeout(timer),
  };
}
