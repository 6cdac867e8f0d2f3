import type { Event } from "../domain/step.ts";

/** The queue of the loop: events are handled one after another, in the order in which they came. */
export type Inbox<Answer> = {
  /** Handled before this returns, unless another event is being handled. */
  readonly push: (event: Event) => void;
  /** These go before all others that wait. */
  readonly pushFirst: (events: readonly Event[]) => void;
  /**
   * Pushes an event and gives its answer; undefined if handling it failed. Throws while an event is
   * being handled, as it would wait behind that one.
   */
  readonly ask: (event: Event) => Answer | undefined;
  /** Drops what waits, and everything that comes later. */
  readonly close: () => void;
};

/**
 * `handle` may call `answer` once, for whoever asked. What it throws goes to `onError`, which must not
 * throw itself; the next event follows.
 */
export function createInbox<Answer>(
  handle: (event: Event, answer: (given: Answer) => void) => void,
  onError: (error: unknown, event: Event) => void,
): Inbox<Answer> {
  const waiting: Event[] = [];
  let isHandling = false;
  let isClosed = false;
  let question: { readonly event: Event; answer?: Answer } | undefined;

  function handleOne(event: Event): void {
    try {
      handle(event, (given) => {
        if (question?.event === event) question.answer = given;
      });
    } catch (error) {
      onError(error, event);
    }
  }

  function push(event: Event): void {
    if (isClosed) return;
    waiting.push(event);
    if (isHandling) return;
    isHandling = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) handleOne(next);
    } finally {
      isHandling = false;
    }
  }

  return {
    push,
    pushFirst: (events) => void waiting.unshift(...events),
    ask: (event) => {
      if (isHandling) throw new Error("nothing can be asked while an event is handled");
      question = { event };
      push(event);
      const { answer } = question;
      question = undefined;
      return answer;
    },
    close: () => {
      isClosed = true;
      waiting.length = 0;
    },
  };
}
