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
 * One lane for each aggregator bounds the rate and concurrency of everything that is sent to it. Polls
 * have a limit of their own before it, which may be lower: where an aggregator is pressed polls go
 * slower, and a few that hang do not keep an action or a probe from being sent.
 */
export function createLane(rate: Rate): Lane {
  const { intervalMs, cap } = smoothInterval(rate.requestsPerSecond);
  const queue = new PQueue({
    concurrency: rate.concurrency,
    interval: intervalMs,
    intervalCap: cap,
  });
  const polls = new PQueue({ concurrency: rate.concurrency });
  return {
    run: async (task, { priority, signal }) => {
      const send = async () => await queue.add(task, { priority, signal });
      return priority === PRIORITY.poll ? await polls.add(send, { signal }) : await send();
    },
    load: () => ({ waiting: queue.size + polls.size, running: queue.pending }),
    limitPolls: (most) => {
      polls.concurrency = Math.max(1, Math.min(rate.concurrency, Math.floor(most)));
    },
  };
}
