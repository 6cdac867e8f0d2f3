import PQueue from "p-queue";

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

/** One lane for each aggregator bounds the rate and concurrency of everything that is sent to it. */
export function createLane(rate: Rate): Lane {
  const { intervalMs, cap } = smoothInterval(rate.requestsPerSecond);
  const queue = new PQueue({
    concurrency: rate.concurrency,
    interval: intervalMs,
    intervalCap: cap,
  });
  return {
    run: async (task, { priority, signal }) => await queue.add(task, { priority, signal }),
    load: () => ({ waiting: queue.size, running: queue.pending }),
  };
}
