import type { Event } from "../domain/step.ts";
import { HOUR, type Instant, type Millis } from "../domain/time.ts";

/** More bugs than this within the window, and alerts cannot be trusted either: the process ends, loudly. */
export const MOST_BUGS = 3;

/** One bug a day, in a process that runs for months, is no reason to end it. */
export const BUG_WINDOW: Millis = HOUR;

/** What the loop does after a bug in the core. */
type BugRecovery = {
  /** Goes back to what was committed, and gives the event to start again with. Throws if that cannot be read. */
  readonly rollBack: () => Event;
  /** Handles these events next, before all others that wait. */
  readonly resume: (events: readonly Event[]) => void;
  /** Handles no event any more. */
  readonly end: () => void;
  readonly onBug: (error: unknown, event: Event, fatal: boolean) => void;
};

/**
 * The state may be half changed by an event that failed. So the state is rolled back, alerting goes on,
 * and no action is sent until a restart. After too many bugs, or if nothing can be rolled back to, not
 * another event is decided.
 */
export function createBugRecovery(
  recovery: BugRecovery,
): (error: unknown, event: Event, at: Instant) => void {
  let recent: Instant[] = [];
  const end = (error: unknown, event: Event): void => {
    recovery.end();
    recovery.onBug(error, event, true);
  };
  return (error, event, at) => {
    recent = recent.filter((earlier) => earlier > at - BUG_WINDOW);
    recent.push(at);
    if (recent.length > MOST_BUGS) return end(error, event);
    recovery.onBug(error, event, false);
    try {
      recovery.resume([recovery.rollBack(), KILLED_BY_BUG]);
    } catch (unreadable) {
      return end(unreadable, event);
    }
  };
}

const KILLED_BY_BUG: Event = {
  type: "command",
  by: "aggwatch",
  reason: "a bug in the core; restart aggwatch when it is mended",
  command: { name: "kill", source: "bug" },
};
