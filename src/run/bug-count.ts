import { HOUR, type Instant, type Millis } from "../domain/time.ts";

/** More bugs than this within the window, and alerts cannot be trusted either: the process ends, loudly. */
export const MOST_BUGS = 3;

/** One bug a day, in a process that runs for months, is not a core that cannot go on. */
export const BUG_WINDOW: Millis = HOUR;

export type BugCount = {
  /** Counts a bug; says whether it is one too many of late. */
  readonly isTooMany: (at: Instant) => boolean;
};

export function createBugCount(): BugCount {
  let recent: Instant[] = [];
  return {
    isTooMany: (at) => {
      recent = recent.filter((earlier) => earlier > at - BUG_WINDOW);
      recent.push(at);
      return recent.length > MOST_BUGS;
    },
  };
}
