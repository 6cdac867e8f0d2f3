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
  /** These belong to the event that is handled, and go before all others, also those that are asked about. */
  readonly pushFirst: (events: readonly Event[]) => void;
  /**
   * Pushes an event and gives its answer; undefined if handling it failed. All that waits is handled first, without
   * slices. Throws while an event is being handled, as it would have to wait for that one.
   */
  readonly ask: (event: Event) => Answer | undefined;
  /** The same, but before all that waits, so that what waits is still handled in slices. */
  readonly askFirst: (event: Event) => Answer | undefined;
  /** The same before all that waits, and itself in slices, like the event that is being handled. Never rejects. */
  readonly askInSlices: (event: Event) => Promise<Answer | undefined>;
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
  /** What belongs to an event that was handled, and so goes before all that waits. */
  const belonging: Slices[] = [];
  const marks = createMarks();
  let isClosed = false;
  const asking = createAsking<Answer>(() => isRunning());

  const handling = (event: Event): Slices =>
    guarded(
      () => handle(event, (given) => asking.answer(event, given)),
      (error) => onError(error, event),
    );

  const work = createSlicedWork(() => belonging.shift() ?? waiting.shift(), slice);
  const { start, finish, finishCurrent, isRunning, isBusy, idle } = work;

  const inbox: Inbox<Answer> = {
    push: (event) => {
      if (!isClosed) waiting.push(handling(event));
      start();
    },
    pushFirst: (events) => void belonging.unshift(...events.map(handling)),
    between: (event, work) => {
      if (isClosed) return;
      belonging.unshift(guarded(work, (error) => onError(error, event)));
      start();
    },
    undisturbed: (work) => begin(inbox, work),
    ...createAsks({ asking, marks, waiting, belonging, handling, isClosed: () => isClosed, work }),
    caughtUp: () =>
      belonging.length + waiting.length > 0 || isBusy()
        ? new Promise((resolve) => waiting.push(marks.of(resolve)))
        : Promise.resolve(),
    finish,
    finishCurrent,
    isBusy,
    idle,
    close: () => {
      isClosed = true;
      waiting.length = 0;
      belonging.length = 0;
      marks.pass();
    },
  };
  return inbox;
}

type AskedQueue<Answer> = {
  readonly asking: ReturnType<typeof createAsking<Answer>>;
  readonly marks: ReturnType<typeof createMarks>;
  readonly waiting: Slices[];
  readonly belonging: readonly Slices[];
  readonly handling: (event: Event) => Slices;
  readonly isClosed: () => boolean;
  readonly work: SlicedWork;
};

/** The ways to wait for the answer to an event. */
function createAsks<Answer>({
  asking,
  marks,
  waiting,
  belonging,
  handling,
  isClosed,
  work,
}: AskedQueue<Answer>): Pick<Inbox<Answer>, "ask" | "askFirst" | "askInSlices"> {
  return {
    ask: (event) =>
      asking.answerTo(event, () => {
        work.finish();
        if (!isClosed()) waiting.push(handling(event));
        work.finish();
      }),
    askFirst: (event) =>
      asking.answerTo(event, () => {
        work.finishCurrent();
        const behind = waiting.length;
        if (!isClosed()) waiting.unshift(handling(event));
        while (belonging.length > 0 || waiting.length > behind) work.finishNext();
      }),
    askInSlices: (event) => {
      if (isClosed()) return Promise.resolve(undefined);
      const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
      asking.onAnswer(event, resolve);
      // What belongs to it is done by then, such as itself after a gap.
      waiting.unshift(
        handling(event),
        marks.of(() => resolve(undefined)),
      );
      work.start();
      return promise;
    },
  };
}

/** The answers to the events that are asked about, and to no other. */
function createAsking<Answer>(isRunning: () => boolean) {
  const questions = new WeakMap<Event, (given: Answer) => void>();
  return {
    onAnswer: (event: Event, listener: (given: Answer) => void): void =>
      void questions.set(event, listener),
    answer: (event: Event, given: Answer): void => questions.get(event)?.(given),
    answerTo: (event: Event, handleIt: () => void): Answer | undefined => {
      if (isRunning()) throw new Error("nothing can be asked while an event is handled");
      let answer: Answer | undefined;
      questions.set(event, (given) => (answer = given));
      handleIt();
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

/** Places in the queue: when one is passed, all before it had its turn, or was dropped. */
function createMarks() {
  const marks = new Set<() => void>();
  const pass = (mark: () => void): void => {
    marks.delete(mark);
    mark();
  };
  return {
    of: (mark: () => void): Slices => {
      marks.add(mark);
      return eachInSlices([mark], pass);
    },
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
