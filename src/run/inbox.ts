import type { Event } from "../domain/step.ts";

/** The queue of the loop: events are handled one after another, in the order in which they came. */
export type Inbox = {
  /** Handled before this returns, unless one is being handled. */
  readonly push: (event: Event) => void;
  /** These go before all others that wait. */
  readonly pushFirst: (...events: readonly Event[]) => void;
  readonly clear: () => void;
  /** An event is being handled. */
  readonly isTurning: () => boolean;
};

/** What `handle` throws goes to `onError`, which must not throw itself; the next event follows. */
export function createInbox(
  handle: (event: Event) => void,
  onError: (error: unknown, event: Event) => void,
): Inbox {
  const waiting: Event[] = [];
  let turning = false;
  const handleOne = (event: Event): void => {
    try {
      handle(event);
    } catch (error) {
      onError(error, event);
    }
  };
  return {
    push: (event) => {
      waiting.push(event);
      if (turning) return;
      turning = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          handleOne(next);
      } finally {
        turning = false;
      }
    },
    pushFirst: (...events) => void waiting.unshift(...events),
    clear: () => {
      waiting.length = 0;
    },
    isTurning: () => turning,
  };
}
