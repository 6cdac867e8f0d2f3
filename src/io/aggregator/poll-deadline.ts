import { SECOND, type Millis } from "../../domain/time.ts";

/** When a poll is cut off. */
export type PollDeadline = {
  /** To be called with each surface that was read. */
  readonly noteRead: () => void;
  /** How long a retry may still be waited for, from now on. */
  readonly leftMs: () => Millis;
  /** How long the poll may take, as far as it is known by now. */
  readonly allowedMs: () => Millis;
  readonly end: () => void;
};

/**
 * The time that a sweep gets is of the configured rate, and a machine may be slower than that. To cut it off then would
 * make what it has not read unknown, again and again, and none would ever be whole. So one that still reads goes on, as
 * long as it will have read all, at the speed that it has, within this many times its time.
 */
export const MOST_TIMES = 10;
const LOOK_EVERY: Millis = SECOND;

export function startPollDeadline(
  poll: {
    readonly timeoutMs: Millis;
    /** How many surfaces there are to be read if it may take longer; undefined if it may not. */
    readonly extendable: number | undefined;
    /** One that has read nothing for so long stands still. */
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
  let timer = setTimeout(look, timeoutMs);
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
