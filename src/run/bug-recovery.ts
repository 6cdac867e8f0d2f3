import type { Event } from "../domain/step.ts";
import type { LoopJournal } from "./commit/loop-journal.ts";
import { HOUR, type Instant, type Millis } from "../domain/time.ts";

/** With more bugs than this within the window, alerts cannot be trusted either, so the process ends. */
export const MOST_BUGS = 3;

/** The window in which bugs are counted: one bug a day is no reason to end a process that runs for months. */
export const BUG_WINDOW: Millis = HOUR;

/** Counts bugs by their instants, and says of each whether there are too many by now. */
export function createBugCount(): (at: Instant) => boolean {
  let recent: Instant[] = [];
  return (at) => {
    recent = recent.filter((earlier) => earlier > at - BUG_WINDOW);
    recent.push(at);
    return recent.length > MOST_BUGS;
  };
}

/** What the loop does after a bug in the core. */
type BugRecovery = {
  readonly journal: LoopJournal;
  /** Goes back to what was committed, and gives the event to start again with. Throws if that cannot be read. */
  readonly rollBack: () => Event;
  /** Handles these events next, before all others that wait. */
  readonly resume: (events: readonly Event[]) => void;
  /** Handles no event any more, because of this. */
  readonly end: (error: unknown) => void;
  readonly onBug: (error: unknown, event: Event, fatal: boolean) => void;
};

/**
 * An event that failed may leave the state half changed. So the state is rolled back, alerting goes on, and no action
 * is sent until a restart. After too many bugs, or if the state cannot be rolled back, no further event is decided. The
 * rows of a shared journal can only be read later: there, another loop goes on (src/run/replica/bug-handler.ts).
 */
export function createBugRecovery(
  recovery: BugRecovery,
): (error: unknown, event: Event, at: Instant) => void {
  const isTooMany = createBugCount();
  const end = (error: unknown, event: Event): void => {
    recovery.end(error);
    recovery.onBug(error, event, true);
  };
  return (error, event, at) => {
    if (isTooMany(at) || "commitLater" in recovery.journal) return end(error, event);
    recovery.onBug(error, event, false);
    try {
      recovery.resume([recovery.rollBack(), KILLED_BY_BUG]);
    } catch (unreadable) {
      recovery.end(error);
      recovery.onBug(unreadable, event, true);
    }
  };
}

/** Comes right after the start that follows a bug. */
export const KILLED_BY_BUG: Event = {
  type: "command",
  by: "aggwatch",
  reason: "a bug in the core; restart aggwatch when it is mended",
  command: { name: "kill", source: "bug" },
};
