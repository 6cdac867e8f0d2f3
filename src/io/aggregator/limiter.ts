import {
  asksToWait,
  fullPace,
  isOfEndpoint,
  isSlowest,
  LEAST_REFUSED_BY_503,
  pauseAfter,
  paceAfter,
  pressureOf,
  type Pause,
  type Sent,
} from "../../aggregator/pace.ts";
import type { Failure, HttpReply } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import type { SendFailure } from "../http/send-failure.ts";
import { parseRetryAfter } from "../http/reply-failure.ts";
import { createSlots, mostPolls, NoSlotError, type Rate, type SlotOptions } from "./slots.ts";

export type Limiter = ReturnType<typeof createLimiter>;

/**
 * One limiter for each aggregator bounds the rate and concurrency of everything that is sent to it. An action or a
 * probe may go before its turn, as a debt that later intervals pay: in any period no more requests start than the rate
 * allows, plus two intervals' worth and `mostLent`. Polls have their own limit (`mostPolls`), which is lower while the
 * aggregator is pressed. One poll of each endpoint is beyond that limit, so that an endpoint that hangs does not block
 * the others; waiting polls take turns by endpoint. Timers alone count the intervals: by the wall clock, a step back of an hour
 * would stop all requests for an hour.
 */
export function createLimiter(
  rate: Rate,
  {
    clock,
    longestPauseMs,
    isCutOff = () => false,
    paused = new Map(),
  }: {
    readonly clock: Clock;
    readonly longestPauseMs: Millis;
    readonly isCutOff?: (() => boolean) | undefined;
    /** The pauses that go on, of a limiter that this one takes the place of. */
    readonly paused?: ReadonlyMap<string, Pause> | undefined;
  },
) {
  const slots = createSlots(rate, isCutOff);
  const pauses = createPauses(clock, longestPauseMs, paused);
  const { shared: most } = mostPolls(rate);
  let pace = fullPace(most);
  return {
    /** Runs the task when a slot is free; rejects if the signal or the longest wait comes first. */
    run: async <Value>(task: () => Promise<Value>, options: SlotOptions): Promise<Value> => {
      const askedAt = clock.now();
      const release = await slots.acquire(options);
      try {
        options.signal.throwIfAborted();
        // If the process was suspended, the slot and the end of the wait are due together, in any order.
        if (clock.now() - askedAt > (options.waitAtMostMs ?? Infinity)) throw new NoSlotError();
        return await task();
      } finally {
        release();
      }
    },
    /** Adapts the limit of polls, and the pause of the endpoint of a read, to an answer. */
    learn: (
      answer: Result<HttpReply, SendFailure>,
      { endpoint, ...sent }: Sent & { readonly endpoint: string | undefined },
    ): void => {
      const now = clock.now();
      const pressure = pressureOf(answer.ok ? answer.value : answer.problem);
      pace = paceAfter(pace, pressure, sent.sentAt, now, most);
      slots.limitPolls(pace.limit);
      if (endpoint !== undefined)
        pauses.learn(endpoint, answer.ok ? answer.value : answer.problem, sent);
    },
    /** Whether a failed read may be sent again, unless that would press a pressed aggregator. */
    mayRetry: (endpoint: string, failure: Failure): boolean =>
      !isSlowest(pace, most) ||
      pressureOf(failure) !== "pressed" ||
      !isOfEndpoint(failure.status ?? 0, pauses.refusedReads(endpoint)),
    /** The most polls at once: `mostPolls`, or less while the aggregator is pressed. */
    pollLimit: (): number => Math.floor(pace.limit),
    pausedUntil: pauses.until,
    isPaused: pauses.isAny,
    paused: pauses.all,
  };
}

/** The pauses of endpoints. */
function createPauses(clock: Clock, longestMs: Millis, before: ReadonlyMap<string, Pause>) {
  const pauses = new Map(before);
  // It may be a shorter one now.
  const latest = clock.now() + longestMs;
  for (const [endpoint, pause] of pauses)
    pauses.set(endpoint, { ...pause, until: Math.min(pause.until, latest) });
  /** When the request was sent that last got an answer other than 429 or 503. */
  const answeredSentAt = new Map<string, Instant>();
  /** The first reads that were refused since then; no more count. */
  const refused = new Map<string, Set<symbol>>();
  const readsOf = (endpoint: string): number => refused.get(endpoint)?.size ?? 0;
  const note = (endpoint: string, { sentAt, read = Symbol(endpoint) }: Sent): void => {
    if (sentAt <= (answeredSentAt.get(endpoint) ?? -Infinity)) return;
    const reads = refused.get(endpoint) ?? new Set();
    if (reads.size < LEAST_REFUSED_BY_503) refused.set(endpoint, reads.add(read));
  };
  return {
    /** Adapts the pause of an endpoint to an answer. */
    learn: (
      endpoint: string,
      { status, headers = {} }: Partial<Pick<HttpReply, "status" | "headers">>,
      sent: Sent,
    ): void => {
      if (status === undefined) return;
      const now = clock.now();
      const retryAfterMs = parseRetryAfter(headers["retry-after"], now);
      if (asksToWait({ status })) note(endpoint, sent);
      const refusedReads = readsOf(endpoint);
      const known = { now, longestMs, refusedReads, answeredSentAt: answeredSentAt.get(endpoint) };
      const pause = pauseAfter(pauses.get(endpoint), { status, retryAfterMs }, sent, known);
      if (pause === undefined) pauses.delete(endpoint);
      else pauses.set(endpoint, pause);
      if (!asksToWait({ status })) {
        refused.delete(endpoint);
        // One sent later may have been answered before; an instant to come is from before the clock was set back.
        const last = answeredSentAt.get(endpoint) ?? -Infinity;
        answeredSentAt.set(endpoint, last > now ? sent.sentAt : Math.max(last, sent.sentAt));
      }
    },
    /** How many different reads of the endpoint were refused one after another. */
    refusedReads: readsOf,
    /** Until when the endpoint is not to be polled; it may be in the past, and undefined if there is no pause. */
    until: (endpoint: string): Instant | undefined => pauses.get(endpoint)?.until,
    all: pauses as ReadonlyMap<string, Pause>,
    /** Whether some endpoint is paused now. */
    isAny: (): boolean => [...pauses.values()].some(({ until }) => clock.now() < until),
  };
}
