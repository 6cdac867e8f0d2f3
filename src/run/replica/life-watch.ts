import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";

/** Notices if a replica hangs in its work as the owner, while its process runs and its lease is renewed. */
export type LifeWatch = {
  /** It has the lease: it reads the rows, and begins to decide. */
  readonly begin: () => void;
  /** It has handled something, with its commit. */
  readonly turned: () => void;
  readonly end: () => void;
  /** It cannot begin. */
  readonly failed: (why: string) => void;
  /** To be called often: why the life must be dropped; undefined if it need not be. */
  readonly look: () => string | undefined;
  /** What is wrong so far, for people, before the life is dropped for it. Undefined if nothing is. */
  readonly fault: () => string | undefined;
  /** Why the last life must be dropped, until another begins; undefined if it need not be. */
  readonly hung: () => string | undefined;
};

/** A life ticks every second. After this many lease lengths without a tick it is dropped; after half, stopped. */
const HANGS_AFTER_LEASES = 4;
/** The least wait, however short the lease: a commit to a silent database takes long, and so do long events. */
const HANGS_AFTER_LEAST: Millis = 60 * SECOND;
/** Reading all rows and beginning may take this many times longer. */
const START_TIMES = 3;
/** The most time that counts between two looks: beyond that the process itself was standing still. */
const MOST_BETWEEN: Millis = SECOND;

export function createLifeWatch(lastsMs: Millis, steadyNow: () => Millis): LifeWatch {
  const hangsAfterMs = Math.max(HANGS_AFTER_LEASES * lastsMs, HANGS_AFTER_LEAST);
  /** How long there was no tick though there could have been; undefined while there is no life. */
  let stillMs: Millis | undefined;
  let hasTurned = false;
  let hung: string | undefined;
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
      hung = undefined;
    },
    turned: () => {
      if (stillMs === undefined) return;
      stillMs = 0;
      hasTurned = true;
    },
    end: () => {
      stillMs = undefined;
    },
    failed: (why) => {
      hung = why;
    },
    look: () => {
      const now = steadyNow();
      if (stillMs !== undefined) stillMs += Math.min(MOST_BETWEEN, now - lookedAt);
      lookedAt = now;
      const found = why(hangsAfterMs);
      hung = found ?? hung;
      return found;
    },
    fault: () => why(hangsAfterMs / 2),
    hung: () => hung,
  };
}
