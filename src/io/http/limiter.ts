export type Rate = { readonly requestsPerSecond: number; readonly concurrency: number };

/** Who goes first where requests wait: an action, then the reading that confirms it, then polls. */
export const PRIORITY = { poll: 0, probe: 5, act: 10 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

/** Where a request stands among the others. */
export type Place = {
  readonly priority: Priority;
  /** What is asked: one of each kind may be under way, however few polls may. */
  readonly kind?: string | undefined;
};

export type Limiter = {
  /** Runs the task when its turn comes; rejects with the signal's reason if that comes first. */
  readonly run: <Value>(
    task: () => Promise<Value>,
    options: Place & { readonly signal: AbortSignal },
  ) => Promise<Value>;
  /** How many tasks wait, and how many run. */
  readonly load: () => { readonly waiting: number; readonly running: number };
  /** So many polls at once from now on, but never more than the rate's own concurrency. */
  readonly limitPolls: (most: number) => void;
};

/** The shortest interval that is kept apart; timers are not more exact than that. */
const SHORTEST_INTERVAL_MS = 10;

/**
 * Splits a rate into short intervals, so that requests leave evenly and not in a burst a second:
 * 50 a second is one each 20 ms, 500 a second is 5 each 10 ms. Never more than the rate.
 */
export function smoothInterval(requestsPerSecond: number): {
  readonly intervalMs: number;
  readonly cap: number;
} {
  const cap = Math.max(1, Math.floor((requestsPerSecond * SHORTEST_INTERVAL_MS) / 1_000));
  return { intervalMs: Math.ceil((cap * 1_000) / requestsPerSecond), cap };
}

/**
 * One limiter for each aggregator bounds the rate and concurrency of everything that is sent to it. Polls
 * have a limit of their own, which may be lower: where an aggregator is pressed polls go slower. One of
 * each kind is beyond that limit, so that an endpoint that hangs keeps no other from being asked. It counts time by timers alone: one
 * that looked at the wall clock would stand still for an hour where that is set back by an hour.
 */
export function createLimiter(rate: Rate): Limiter {
  const { intervalMs, cap } = smoothInterval(rate.requestsPerSecond);
  const waiting: Waiting[] = [];
  let running = 0;
  const polls: Place[] = [];
  let mostPolls = rate.concurrency;
  let startedInInterval = 0;
  let interval: NodeJS.Timeout | undefined;
  const mayPoll = ({ place }: Waiting): boolean =>
    polls.length < mostPolls ||
    (place.kind !== undefined && polls.every(({ kind }) => kind !== place.kind));
  const startNext = (): void => {
    while (running < rate.concurrency && startedInInterval < cap) {
      const index = waiting.findIndex((one) => !isPoll(one) || mayPoll(one));
      const [next] = index === -1 ? [] : waiting.splice(index, 1);
      if (next === undefined) break;
      running += 1;
      if (isPoll(next)) polls.push(next.place);
      startedInInterval += 1;
      interval ??= setTimeout(endInterval, intervalMs);
      next.start();
    }
    // An interval that nobody waits for must not keep the process from ending.
    if (waiting.length > 0) interval?.ref();
    else interval?.unref();
  };
  const endInterval = (): void => {
    interval = undefined;
    startedInInterval = 0;
    startNext();
  };
  const endOne = (place: Place): void => {
    running -= 1;
    const index = polls.indexOf(place);
    if (index !== -1) polls.splice(index, 1);
    startNext();
  };
  return {
    run: async (task, { priority, kind, signal }) => {
      const place = { priority, kind };
      await turnOf(waiting, place, signal, startNext);
      try {
        signal.throwIfAborted();
        return await task();
      } finally {
        endOne(place);
      }
    },
    load: () => ({ waiting: waiting.length, running }),
    limitPolls: (most) => {
      mostPolls = Math.max(1, Math.min(rate.concurrency, Math.floor(most)));
      startNext();
    },
  };
}

type Waiting = { readonly place: Place; readonly start: () => void };

function isPoll({ place }: Waiting): boolean {
  return place.priority === PRIORITY.poll;
}

/** Resolves when the turn has come; first those that go first, and else in the order of coming. */
async function turnOf(
  waiting: Waiting[],
  place: Place,
  signal: AbortSignal,
  startNext: () => void,
): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      waiting.splice(waiting.indexOf(own), 1);
      reject(signal.reason);
    };
    const own: Waiting = {
      place,
      start: () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      },
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const before = waiting.findLastIndex(({ place: other }) => other.priority >= place.priority);
    waiting.splice(before + 1, 0, own);
    startNext();
  });
}
