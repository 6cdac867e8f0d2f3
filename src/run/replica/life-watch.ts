import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";

/** Notices that what a replica does as the owner hangs, though its process runs and its lease is renewed. */
type LifeWatch = {
  /** It has the lease: it reads the rows, and begins to decide. */
  readonly begin: () => void;
  /** It has handled something, with its commit. */
  readonly turned: () => void;
  readonly end: () => void;
  /** To be called often. Why it is to be dropped; undefined if it is not. */
  readonly look: () => string | undefined;
  /** What is wrong by now, for people: it comes sooner than that it is dropped. Undefined if nothing is. */
  readonly fault: () => string | undefined;
};

/** It ticks every second. After this many lengths of the lease without, it is dropped; after half of that, stopped. */
const HANGS_AFTER_LEASES = 4;
/** However short the lease is: a commit to a database that does not answer takes long, and so do long events. */
const HANGS_AFTER_LEAST: Millis = 60 * SECOND;
/** To read all rows and to begin takes longer, by this many times. */
const START_TIMES = 3;
/** Between two looks the process may have stood still, and the rest of that is not time that it had. */
const MOST_BETWEEN: Millis = SECOND;

export function createLifeWatch(lastsMs: Millis, steadyNow: () => Millis): LifeWatch {
  const hangsAfterMs = Math.max(HANGS_AFTER_LEASES * lastsMs, HANGS_AFTER_LEAST);
  /** How long it could have turned and has not; undefined while there is nothing to turn. */
  let stillMs: Millis | undefined;
  let hasTurned = false;
  let lookedAt = steadyNow();
  const why = (afterMs: Millis): string | undefined => {
    if (stillMs === undefined || stillMs <= (hasTurned ? afterMs : afterMs * START_TIMES)) return;
    const what = hasTurned ? "has done nothing" : "has not begun";
    return `what it does as the owner ${what} for ${formatDuration(Math.floor(stillMs / SECOND) * SECOND)}`;
  };
  return {
    begin: () => {
      stillMs = 0;
      hasTurned = false;
    },
    turned: () => {
      if (stillMs === undefined) return;
      stillMs = 0;
      hasTurned = true;
    },
    end: () => {
      stillMs = undefined;
    },
    look: () => {
      const now = steadyNow();
      if (stillMs !== undefined) stillMs += Math.min(MOST_BETWEEN, now - lookedAt);
      lookedAt = now;
      return why(hangsAfterMs);
    },
    fault: () => why(hangsAfterMs / 2),
  };
}
