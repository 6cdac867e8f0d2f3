import type { Millis } from "../../domain/time.ts";
import { onAbort } from "../http/linked-signal.ts";

export type Rate = {
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  /** How many times slower it is while another replica may already send in its place; absent if none ever does. */
  readonly cutOffSlowdown?: number | undefined;
  /** Nothing but polls is sent, so no slot is kept for an action. */
  readonly onlyPolls?: boolean | undefined;
};

/** The order of waiting requests: an action, then the probe that confirms it, then polls. */
export const PRIORITY = { poll: 0, probe: 5, act: 10 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

export type SlotOptions = {
  readonly priority: Priority;
  /** The endpoint of a read: one poll of each endpoint may always run, even if the limit of polls is lower. */
  readonly endpoint?: string | undefined;
  readonly signal: AbortSignal;
  /** The longest wait for a slot. */
  readonly waitAtMostMs?: Millis | undefined;
};

/** No slot was free within the longest wait. */
export class NoSlotError extends Error {}

/** The shortest interval; timers are not more exact than this. */
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

/** As many actions and probes as the rate allows in this time may go before their turn; polls then wait longer. */
const LENT_MS = 200;

/** Enough for a probe of two requests and its action, even at a low rate. */
const LEAST_LENT = 3;

/** The most requests that may go before their turn, beyond the present rate. */
export function mostLent(requestsPerSecond: number): number {
  return Math.max(LEAST_LENT, Math.floor((requestsPerSecond * LENT_MS) / 1_000));
}

/** From this concurrency on, a slot is left to endpoints without a poll under way. Fewer are needed by sweeps. */
const SPARES_FROM = 8;

/**
 * The most polls at once. One slot is never a poll's, so that an action does not wait for polls that hang. `shared` is
 * without the one that any endpoint may have beyond.
 */
export function mostPolls({ concurrency, onlyPolls = false }: Omit<Rate, "requestsPerSecond">): {
  readonly all: number;
  readonly shared: number;
} {
  const all = onlyPolls ? concurrency : Math.max(1, concurrency - 1);
  return { all, shared: concurrency >= SPARES_FROM ? all - 1 : all };
}

type Waiting = { readonly options: SlotOptions; readonly start: () => void };

/**
 * Bounds what is sent to an aggregator at once and in any time. `acquire` resolves when a slot is free, with a function
 * that releases it.
 */
export function createSlots(rate: Rate, isCutOff: () => boolean) {
  const { intervalMs, cap } = smoothInterval(rate.requestsPerSecond);
  const lent = mostLent(rate.requestsPerSecond);
  const waiting: Waiting[] = [];
  let running = 0;
  const polls: SlotOptions[] = [];
  const { all, shared } = mostPolls(rate);
  let limit = shared;
  /** In this interval, with what earlier ones have left to pay. */
  let started = 0;
  let interval: NodeJS.Timeout | undefined;
  const mayStart = ({ options: { priority, endpoint } }: Waiting): boolean => {
    if (priority !== PRIORITY.poll) return started < cap + lent;
    if (started >= cap || polls.length >= all) return false;
    if (polls.length < limit) return true;
    return endpoint !== undefined && polls.every((poll) => poll.endpoint !== endpoint);
  };
  const turns = createTurns();
  const startNext = (): void => {
    while (running < rate.concurrency) {
      const next = turns.nextOf(waiting, mayStart);
      if (next === undefined) break;
      waiting.splice(waiting.indexOf(next), 1);
      turns.note(next);
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
    acquire: async (options: SlotOptions): Promise<() => void> => {
      await slotFor(options, waiting, startNext);
      return () => {
        running -= 1;
        if (options.priority === PRIORITY.poll) polls.splice(polls.indexOf(options), 1);
        startNext();
      };
    },
    /** So many polls at once from now on, but never more than `mostPolls`. */
    limitPolls: (most: number): void => {
      limit = Math.max(1, Math.min(shared, Math.floor(most)));
      startNext();
    },
  };
}

/**
 * Who goes first of those that wait, which are in order of priority: of polls, the first of the endpoint that was asked
 * the longest ago. So a sweep of many senders, of which many wait at any time, does not hold up the short polls.
 */
function createTurns() {
  const lastTurn = new Map<string | undefined, number>();
  let turn = 0;
  return {
    note: ({ options }: Waiting): void => void lastTurn.set(options.endpoint, (turn += 1)),
    nextOf: (
      waiting: readonly Waiting[],
      mayStart: (one: Waiting) => boolean,
    ): Waiting | undefined => {
      const tried = new Set<string | undefined>();
      let next: Waiting | undefined;
      let earliest = Infinity;
      for (const one of waiting) {
        const { priority, endpoint } = one.options;
        if (priority !== PRIORITY.poll) {
          if (mayStart(one)) return one;
          continue;
        }
        // Whether a poll may start depends on its endpoint alone.
        if (tried.has(endpoint)) continue;
        tried.add(endpoint);
        const last = lastTurn.get(endpoint) ?? 0;
        if (last < earliest && mayStart(one)) [next, earliest] = [one, last];
      }
      return next;
    },
  };
}

/** Resolves when a slot is free: by priority, and of polls the endpoints in turn, each in the order of arrival. */
async function slotFor(
  options: SlotOptions,
  waiting: Waiting[],
  startNext: () => void,
): Promise<void> {
  const { signal, priority, waitAtMostMs } = options;
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const giveUp = (why: Error): void => {
      waiting.splice(waiting.indexOf(own), 1);
      end();
      reject(why);
    };
    const late = (): void => giveUp(new NoSlotError());
    const timer = waitAtMostMs === undefined ? undefined : setTimeout(late, waitAtMostMs);
    const end = (): void => {
      clearTimeout(timer);
      unfollow();
    };
    const own: Waiting = {
      options,
      start: () => {
        end();
        resolve();
      },
    };
    const unfollow = onAbort(signal, () => giveUp(new Error("given up")));
    const before = waiting.findLastIndex((other) => other.options.priority >= priority);
    waiting.splice(before + 1, 0, own);
    startNext();
  });
}
