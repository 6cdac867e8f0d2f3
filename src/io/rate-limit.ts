export type Rate = { readonly requestsPerSecond: number; readonly concurrency: number };

/** Who goes first where requests wait: an action, then the reading that confirms it, then polls. */
export const PRIORITY = { poll: 0, probe: 5, act: 10 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

export type Lane = {
  /** Runs the task when its turn comes; rejects with the signal's reason if that comes first. */
  readonly run: <Value>(
    task: () => Promise<Value>,
    options: { readonly priority: Priority; readonly signal: AbortSignal },
  ) => Promise<Value>;
  /** How many tasks wait, and how many run. */
  readonly load: () => { readonly waiting: number; readonly running: number };
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
 * One lane for each aggregator bounds the rate and concurrency of everything that is sent to it. It
 * counts time by timers alone: one that looked at the wall clock would stand still for an hour where
 * that is set back by an hour.
 */
export function createLane(rate: Rate): Lane {
  const { intervalMs, cap } = smoothInterval(rate.requestsPerSecond);
  const waiting: Waiting[] = [];
  let running = 0;
  let startedInInterval = 0;
  let interval: NodeJS.Timeout | undefined;
  const startNext = (): void => {
    while (running < rate.concurrency && startedInInterval < cap) {
      const next = waiting.shift();
      if (next === undefined) break;
      running += 1;
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
  const endOne = (): void => {
    running -= 1;
    startNext();
  };
  return {
    run: async (task, { priority, signal }) => {
      await turnOf(waiting, priority, signal, startNext);
      try {
        signal.throwIfAborted();
        return await task();
      } finally {
        endOne();
      }
    },
    load: () => ({ waiting: waiting.length, running }),
  };
}

type Waiting = { readonly priority: Priority; readonly start: () => void };

/** Resolves when the turn has come; first those that go first, and else in the order of coming. */
async function turnOf(
  waiting: Waiting[],
  priority: Priority,
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
      priority,
      start: () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      },
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const before = waiting.findLastIndex((other) => other.priority >= priority);
    waiting.splice(before + 1, 0, own);
    startNext();
  });
}
