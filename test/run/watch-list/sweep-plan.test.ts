import { expect, it } from "vitest";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { sweepNotices, sweepPlan } from "../../../src/run/watch-list/sweep-plan.ts";

const RATE = { requestsPerSecond: 10, concurrency: 4 };

function planOf(change: Partial<Parameters<typeof sweepPlan>[0]>) {
  return sweepPlan({
    surfaces: 1,
    requests: 1,
    rate: RATE,
    intervalMs: 10 * SECOND,
    staleAfterMs: 30 * SECOND,
    timeoutMs: 5 * SECOND,
    ...change,
  });
}

it("starts are spread over the most of the schedule, and ten a second are no burst", () => {
  expect(planOf({ surfaces: 100 }).paceMs).toBe(60);
  expect(planOf({ surfaces: 10 }).paceMs).toBe(100);
  expect(planOf({ surfaces: 0 }).paceMs).toBe(100);
});

it("has twice the time that it needs by rate and pace, if it needs more than half of its limit", () => {
  expect(planOf({ requests: 25 }).timeoutMs).toBe(5 * SECOND);
  expect(planOf({ requests: 26 })).toMatchObject({ leastMs: 2_600, timeoutMs: 10_200 });
  // By its pace alone: 8 starts, 100 ms apart.
  expect(planOf({ surfaces: 8, timeoutMs: SECOND }).timeoutMs).toBe(2.6 * SECOND);
});

it("is not cut off while what was read is fresh, if it cannot have all under way at once", () => {
  expect(planOf({ surfaces: 8 })).toMatchObject({ atOnce: 8, timeoutMs: 5 * SECOND });
  expect(planOf({ surfaces: 9 }).timeoutMs).toBe(30 * SECOND);
  expect(planOf({ surfaces: 9, requests: 900 }).timeoutMs).toBe(185 * SECOND);
});

it("says which sweeps take longer than their schedule, and else if all together ask for too much", () => {
  const sweep = (poller: string, requests: number, leastMs: number) => ({
    poller,
    requests,
    leastMs,
    intervalMs: MINUTE,
  });
  const noticesOf = (...sweeps: ReadonlyArray<ReturnType<typeof sweep>>) =>
    sweepNotices({ aggregator: "bsc", sweeps }, 10);
  const half = sweep("swaps", 300, 30 * SECOND);
  const whole = sweep("swap_history", 600, MINUTE);
  expect(noticesOf(half, half)).toEqual([]);
  expect(noticesOf(whole)).toEqual([]);
  expect(noticesOf(half, whole)).toEqual([
    "The schedules of bsc ask for 15.0 requests/s, the rate is 10",
  ]);
  expect(noticesOf(half, sweep("swap_history", 601, MINUTE + 100))).toEqual([
    "Poller swap_history of bsc: a sweep takes 1m1s at 10 requests/s, the schedule is 1m",
  ]);
});
