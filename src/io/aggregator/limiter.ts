import { fullPace, pauseUntil, paceAfter, pressureOf } from "../../aggregator/pace.ts";
import type { HttpReply } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import type { SendFailure } from "../http/send-failure.ts";
import { parseRetryAfter } from "../http/reply-failure.ts";

export type Rate = {
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  /** So many times slower if another may ask in its place already; left out: none ever does. */
  readonly cutOffSlowdown?: number | undefined;
};

/** Who goes first if requests wait: an action, then the probe that confirms it, then polls. */
export const PRIORITY = { poll: 0, probe: 5, act: 10 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

export type SlotOptions = {
  readonly priority: Priority;
  /** The endpoint of a read: one poll of each endpoint may run, however low the limit of polls is. */
  readonly endpoint?: string | undefined;
  readonly signal: AbortSignal;
  /** The longest wait for a slot. */
  readonly waitAtMostMs?: Millis | undefined;
};

export type Limiter = {
  /** Runs the task when a slot is free; rejects if the signal or the longest wait comes first. */
  readonly run: <Value>(task: () => Promise<Value>, options: SlotOptions) => Promise<Value>;
  /** Adapts the limit of polls, and the pause of the endpoint of a read, to an answer. */
  readonly learn: (
    answer: Result<HttpReply, SendFailure>,
    request: { readonly endpoint: string | undefined; readonly sentAt: Instant },
  ) => void;
  /** The most polls at once: the setting, or less while the aggregator is pressed. */
  readonly pollLimit: () => number;
  /** Until when the aggregator asked not to be polled at the endpoint; undefined if it never did. */
  readonly pausedUntil: (endpoint: string) => Instant | undefined;
  /** Some endpoint is paused now. */
  readonly isPaused: () => boolean;
};

const NO_SLOT = "no slot was free in time";

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

/** So many actions and probes as the rate allows in this time may go before their turn; polls wait for it afterwards. */
const LENT_MS = 200;

/** A probe of two requests and its action, however low the rate is. */
const LEAST_LENT = 3;

/** The most requests that go before their turn, beyond the rate of the moment. */
export function mostLent(requestsPerSecond: number): number {
  return Math.max(LEAST_LENT, Math.floor((requestsPerSecond * LENT_MS) / 1_000));
}

/**
 * One limiter for each aggregator bounds the rate and concurrency of everything that is sent to it. What an action or a
 * probe takes before its turn is a debt, which later intervals pay: in any time no more starts than the rate allows in
 * it, and two intervals' and `mostLent` beyond that. Polls have a limit of their own, which is lower while the
 * aggregator is pressed. One poll of each endpoint is beyond that limit, so that an endpoint that hangs does not block
 * the others. Intervals are counted by timers alone: by the wall clock, an hour's step back would stop all requests for
 * an hour.
 */
export function createLimiter(
  rate: Rate,
  {
    clock,
    longestPauseMs,
    isCutOff = () => false,
  }: {
    readonly clock: Clock;
    readonly longestPauseMs: Millis;
    readonly isCutOff?: (() => boolean) | undefined;
  },
): Limiter {
  const slots = createSlots(rate, isCutOff);
  const pausedUntil = new Map<string, Instant>();
  let pace = fullPace(rate.concurrency);
  return {
    run: async (task, options) => {
      const askedAt = clock.now();
      const release = await slots.acquire(options);
      try {
        options.signal.throwIfAborted();
        // If the process was suspended, the slot and the end of the wait are due together, in any order.
        if (clock.now() - askedAt > (options.waitAtMostMs ?? Infinity)) throw new Error(NO_SLOT);
        return await task();
      } finally {
        release();
      }
    },
    learn: (answer, { endpoint, sentAt }) => {
      const now = clock.now();
      const pressure = pressureOf(answer.ok ? answer.value : answer.problem);
      pace = paceAfter(pace, pressure, sentAt, now, rate.concurrency);
      slots.limitPolls(pace.limit);
      if (!answer.ok || endpoint === undefined) return;
      const { status, headers } = answer.value;
      const retryAfterMs = parseRetryAfter(headers["retry-after"], now);
      const until = pauseUntil({ status, retryAfterMs }, now, longestPauseMs);
      if (until === undefined) return;
      pausedUntil.set(endpoint, Math.max(until, pausedUntil.get(endpoint) ?? 0));
    },
    pollLimit: () => Math.floor(pace.limit),
    pausedUntil: (endpoint) => pausedUntil.get(endpoint),
    isPaused: () => [...pausedUntil.values()].some((until) => clock.now() < until),
  };
}

type Waiting = { readonly options: SlotOptions; readonly start: () => void };

type Slots = {
  /** Resolves when a slot is free, with what releases it. */
  readonly acquire: (options: SlotOptions) => Promise<() => void>;
  /** So many polls at once from now on, but never more than the rate's own concurrency. */
  readonly limitPolls: (most: number) => void;
};

function createSlots(rate: Rate, isCutOff: () => boolean): Slots {
  const { intervalMs, cap } = smoothInterval(rate.requestsPerSecond);
  const lent = mostLent(rate.requestsPerSecond);
  const waiting: Waiting[] = [];
  let running = 0;
  const polls: SlotOptions[] = [];
  let mostPolls = rate.concurrency;
  /** In this interval, with what earlier ones have left to pay. */
  let started = 0;
  let interval: NodeJS.Timeout | undefined;
  const mayStart = ({ options: { priority, endpoint } }: Waiting): boolean => {
    if (priority !== PRIORITY.poll) return started < cap + lent;
    if (started >= cap) return false;
    if (polls.length < mostPolls) return true;
    return endpoint !== undefined && polls.every((poll) => poll.endpoint !== endpoint);
  };
  const startNext = (): void => {
    while (running < rate.concurrency) {
      const index = waiting.findIndex(mayStart);
      const [next] = index === -1 ? [] : waiting.splice(index, 1);
      if (next === undefined) break;
      running += 1;
      if (next.options.priority === PRIORITY.poll) polls.push(next.options);
      started += 1;
      interval ??= setTimeout(endInterval, intervalMs);
      next.start();
    }
    // An interval that no request waits for must not keep the process from ending.
    if (waiting.length > 0) interval?.ref();
    else interval?.unref();
  };
  let intervals = 0;
  const endInterval = (): void => {
    intervals += 1;
    if (intervals >= (isCutOff() ? (rate.cutOffSlowdown ?? 1) : 1)) {
      started = Math.max(0, started - cap);
      intervals = 0;
    }
    interval = started > 0 ? setTimeout(endInterval, intervalMs) : undefined;
    startNext();
  };
  return {
    acquire: async (options) => {
      await slotFor(options, waiting, startNext);
      return () => {
        running -= 1;
        const index = polls.indexOf(options);
        if (index !== -1) polls.splice(index, 1);
        startNext();
      };
    },
    limitPolls: (most) => {
      mostPolls = Math.max(1, Math.min(rate.concurrency, Math.floor(most)));
      startNext();
    },
  };
}

/** Resolves when a slot is free: by priority, then in the order of arrival. */
async function slotFor(
  options: SlotOptions,
  waiting: Waiting[],
  startNext: () => void,
): Promise<void> {
  const { signal, priority, waitAtMostMs } = options;
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const giveUp = (): void => {
      waiting.splice(waiting.indexOf(own), 1);
      end();
      reject(new Error(NO_SLOT));
    };
    const timer = waitAtMostMs === undefined ? undefined : setTimeout(giveUp, waitAtMostMs);
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    };
    const own: Waiting = {
      options,
      start: () => {
        end();
        resolve();
      },
    };
    signal.addEventListener("abort", giveUp, { once: true });
    const before = waiting.findLastIndex((other) => other.options.priority >= priority);
    waiting.splice(before + 1, 0, own);
    startNext();
  });
}
