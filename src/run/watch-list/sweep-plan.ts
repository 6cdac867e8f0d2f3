import { formatDuration, SECOND, type Millis } from "../../domain/time.ts";
import type { SweepReading, WatchReading } from "../../domain/watch.ts";
import type { Rate } from "../../io/aggregator/slots.ts";

/** How a whole poll of many surfaces is spread over its schedule. */
export type SweepPlan = {
  readonly requests: number;
  /** The least time that it takes at the configured rate. */
  readonly leastMs: Millis;
  /** Between the starts of two surfaces. */
  readonly paceMs: Millis;
  readonly timeoutMs: Millis;
  readonly atOnce: number;
};

/** Up to ten starts a second make no burst that is worth spreading. */
const LONGEST_PACE: Millis = SECOND / 10;
/** How much of the schedule a sweep is spread over; the rest is for what is slow. */
const SPREAD = 0.6;

export function sweepPlan(poll: {
  readonly surfaces: number;
  readonly requests: number;
  readonly rate: Rate;
  readonly intervalMs: Millis;
  /** When what was read last is stale. */
  readonly staleAfterMs: Millis;
  /** How long a poll of few surfaces may take. */
  readonly timeoutMs: Millis;
}): SweepPlan {
  const { surfaces, requests, rate, intervalMs, staleAfterMs } = poll;
  const leastMs = Math.round((requests * SECOND) / rate.requestsPerSecond);
  const paceMs = Math.min(LONGEST_PACE, (SPREAD * intervalMs) / surfaces);
  const expectedMs = Math.max(leastMs, surfaces * paceMs);
  // A request that waits between two tries holds its place, so twice as many may be under way.
  const atOnce = 2 * rate.concurrency;
  const spareMs =
    expectedMs > poll.timeoutMs / 2 ? 2 * expectedMs + poll.timeoutMs : poll.timeoutMs;
  return {
    requests,
    leastMs,
    paceMs,
    atOnce,
    // What a sweep that is cut off has not read is unknown from then on: not while it is still fresh. To make it
    // unknown, and known by the next sweep, would cost a busy process more than to read it.
    timeoutMs: surfaces > atOnce ? Math.max(spareMs, staleAfterMs) : spareMs,
  };
}

function wholeSeconds(length: Millis): Millis {
  return Math.ceil(length / SECOND) * SECOND;
}

export function sweepReading({
  setup,
  sweep,
}: {
  readonly setup: { readonly name: string; readonly intervalMs: Millis };
  readonly sweep: SweepPlan;
}): SweepReading {
  const { requests, leastMs } = sweep;
  return { poller: setup.name, requests, leastMs, intervalMs: setup.intervalMs };
}

/** Polls that take longer than their schedule leaves, as sentences for people. */
export function sweepNotices(
  { aggregator, sweeps }: Pick<WatchReading, "aggregator" | "sweeps">,
  requestsPerSecond: number,
): readonly string[] {
  // The part of a unit may be an odd number.
  const rate = Number(requestsPerSecond.toPrecision(6));
  const tooLong = sweeps.filter(({ leastMs, intervalMs }) => leastMs > intervalMs);
  if (tooLong.length > 0)
    return tooLong.map(
      ({ poller, leastMs, intervalMs }) =>
        `Poller ${poller} of ${aggregator}: a sweep takes ${formatDuration(wholeSeconds(leastMs))} at ${rate} requests/s, the schedule is ${formatDuration(intervalMs)}`,
    );
  const perSecond = sweeps.reduce(
    (sum, { requests, intervalMs }) => sum + (requests * SECOND) / intervalMs,
    0,
  );
  if (perSecond <= requestsPerSecond) return [];
  return [
    `The schedules of ${aggregator} ask for ${perSecond.toFixed(1)} requests/s, the rate is ${rate}`,
  ];
}
