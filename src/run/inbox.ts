import { eachInSlices, toEnd, type Slices } from "../domain/slices.ts";
import type { Event } from "../domain/step.ts";
import type { TimeSlice } from "../io/process/time-slice.ts";
import { createSlicedWork, type SlicedWork } from "./sliced-work.ts";

/**
 * The queue of the loop: events are handled one after another, in the order in which they came. A long one
 * is handled in slices, between which the event loop turns; the others wait meanwhile.
 */
export type Inbox<Answer> = Pick<SlicedWork, "finish" | "finishCurrent" | "isBusy" | "idle"> & {
  /** Handled before this returns, unless another event is being handled, or it takes longer than a slice. */
  readonly push: (event: Event) => void;
  /** These go before all others that wait. */
  readonly pushFirst: (events: readonly Event[]) => void;
  /**
   * Pushes an event and gives its answer; undefined if handling it failed. All that waits is handled first, without
   * slices. Throws while an event is being handled, as it would have to wait for that one.
   */
  readonly ask: (event: Event) => Answer | undefined;
  /** The same, but before all that waits, so that what waits is still handled in slices. */
  readonly askFirst: (event: Event) => Answer | undefined;
  /** Does other work, which belongs to that event, before all that waits. */
  readonly between: (event: Event, work: () => Slices) => void;
  /**
   * Runs work that reads the state: in slices, between which no event is handled. It goes before all that waits: a
   * scrape that came last would be late whenever there is much. Gives what comes of it, or rejects.
   */
  readonly undisturbed: <Value>(work: () => Slices<Value>) => Promise<Value>;
  /** Resolves when all that waits now has been handled, or is dropped: producers wait for it, so the queue stays short. */
  readonly caughtUp: () => Promise<void>;
  /** Drops what waits, and everything that comes later. */
  readonly close: () => void;
};

/**
 * `handle` may call `answer` once, for the caller. What it throws goes to `onError`, which must not
 * throw itself; the next event follows. Without a slice, each event is handled at once.
 */
export function createInbox<Answer>(
  handle: (event: Event, answer: (given: Answer) => void) => Slices,
  onError: (error: unknown, event: Event) => void,
  slice?: TimeSlice,
): Inbox<Answer> {
  const waiting: Slices[] = [];
  const marks = createMarks(waiting);
  let isClosed = false;
  const asking = createAsking<Answer>(() => isRunning());

  const handling = (event: Event): Slices =>
    guarded(
      () => handle(event, (given) => asking.answer(event, given)),
      (error) => onError(error, event),
    );

  const work = createSlicedWork(() => waiting.shift(), slice);
  const { start, finish, finishNext, isRunning, ...shown } = work;

  function add(event: Event): void {
    if (!isClosed) waiting.push(handling(event));
  }

  const inbox: Inbox<Answer> = {
    push: (event) => {
      add(event);
      start();
    },
    pushFirst: (events) => void waiting.unshift(...events.map(handling)),
    between: (event, work) => {
      if (isClosed) return;
      waiting.unshift(guarded(work, (error) => onError(error, event)));
      start();
    },
    undisturbed: (work) => begin(inbox, work),
    ask: (event) =>
      asking.answerTo(event, () => {
        finish();
        add(event);
        finish();
      }),
    askFirst: (event) =>
      asking.answerTo(event, () => {
        shown.finishCurrent();
        const behind = waiting.length;
        if (!isClosed) waiting.unshift(handling(event));
        // What is to go before it is found when it is taken up.
        while (waiting.length > behind) finishNext();
      }),
    caughtUp: () => (waiting.length > 0 || shown.isBusy() ? marks.add() : Promise.resolve()),
    ...shown,
    finish,
    close: () => {
      isClosed = true;
      waiting.length = 0;
      marks.pass();
    },
  };
  return inbox;
}

/** The answer to the event that is asked about, and to no other. */
function createAsking<Answer>(isRunning: () => boolean) {
  let question: { readonly event: Event; answer?: Answer } | undefined;
  return {
    answer: (event: Event, given: Answer): void => {
      if (question?.event === event) question.answer = given;
    },
    answerTo: (event: Event, handleIt: () => void): Answer | undefined => {
      if (isRunning()) throw new Error("nothing can be asked while an event is handled");
      question = { event };
      handleIt();
      const { answer } = question;
      question = undefined;
      return answer;
    },
  };
}

function* guarded(work: () => Slices, onError: (error: unknown) => void): Slices {
  try {
    yield* work();
  } catch (error) {
    onError(error);
  }
}

/** Places in the queue: when one resolves, all before it had its turn. */
function createMarks(waiting: Slices[]) {
  const marks = new Set<() => void>();
  const pass = (mark: () => void): void => {
    marks.delete(mark);
    mark();
  };
  return {
    add: () =>
      new Promise<void>((resolve) => {
        marks.add(resolve);
        waiting.push(eachInSlices([resolve], pass));
      }),
    /** All of them, as the queue is dropped. */
    pass: () => marks.forEach(pass),
  };
}

/** Nothing that it does throws, so that this is never blamed. */
const NO_EVENT: Event = { type: "tick" };

async function begin<Value>(
  { between, caughtUp }: Pick<Inbox<unknown>, "between" | "caughtUp">,
  work: () => Slices<Value>,
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let hasBegun = false;
  function* settling(): Slices {
    hasBegun = true;
    try {
      resolve(yield* work());
    } catch (error) {
      reject(error);
    }
  }
  between(NO_EVENT, settling);
  // A loop that is closed has dropped it, and handles no event that could disturb it.
  const ifDropped = (): void => {
    if (!hasBegun) toEnd(settling());
  };
  void caughtUp().then(ifDropped);
  return await promise;
}
