import { SECOND, type Millis } from "../../domain/time.ts";
import { LONGEST_TIMER } from "../process/pause.ts";

/**
 * The time for a sweep follows from the configured rate, and a machine may be slower. If each sweep were cut off then,
 * none would ever be whole, and its unread surfaces would be unknown. So a sweep that still reads goes on, if at its
 * present speed it will have read all within this many times its time.
 */
const MOST_TIMES = 10;
const LOOK_EVERY: Millis = SECOND;

/** Decides when a poll is cut off. */
export function startPollDeadline(
  poll: {
    readonly timeoutMs: Millis;
    /** The number of surfaces of a poll that may take longer; undefined if it may not. */
    readonly extendable: number | undefined;
    /** A poll that has read nothing for so long stands still. */
    readonly stillAfterMs: Millis;
  },
  cutOff: () => void,
) {
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
    /** Call it for each surface that was read. */
    noteRead: (): void => {
      read += 1;
      lastReadAt = performance.now();
    },
    /** How long a retry may still be waited for, from now on. */
    leftMs: (): Millis => Math.max(timeoutMs - elapsedMs(), goesOn() ? stillAfterMs : 0),
    /** How long the poll may take, as far as it is known by now. */
    allowedMs: (): Millis => allowedMs,
    end: (): void => clearTimeout(timer),
  };
}
