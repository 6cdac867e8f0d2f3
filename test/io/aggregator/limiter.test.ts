import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLimiter } from "../../../src/io/aggregator/limiter.ts";
import {
  mostLent,
  PRIORITY,
  smoothInterval,
  type Priority,
} from "../../../src/io/aggregator/slots.ts";

const clock = { now: () => Date.now() };
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Arrival = { readonly afterMs: number; readonly priority: Priority; readonly lastsMs: number };
type Start = { readonly at: number; readonly askedAt: number; readonly priority: Priority };

/** When what arrives is started, in the order of the starts. */
async function startsOf(
  requestsPerSecond: number,
  concurrency: number,
  arrivals: readonly Arrival[],
): Promise<Start[]> {
  const limiter = createLimiter(
    { requestsPerSecond, concurrency },
    { clock, longestPauseMs: 1_000 },
  );
  const starts: Start[] = [];
  const tasks: Promise<void>[] = [];
  for (const { afterMs, priority, lastsMs } of arrivals) {
    await vi.advanceTimersByTimeAsync(afterMs);
    const askedAt = Date.now();
    const task = async (): Promise<void> => {
      starts.push({ at: Date.now(), askedAt, priority });
      await new Promise((resolve) => {
        setTimeout(resolve, lastsMs);
      });
    };
    tasks.push(limiter.run(task, { priority, signal: never }));
  }
  await vi.runAllTimersAsync();
  await Promise.all(tasks);
  return starts;
}

/** The most by which the starts of any time exceed what the rate allows in it. */
function mostBeyond(starts: readonly Start[], requestsPerSecond: number): number {
  let most = 0;
  for (const [first, { at: from }] of starts.entries()) {
    for (let last = first; last < starts.length; last += 1) {
      const ms = (starts[last]?.at ?? from) - from;
      most = Math.max(most, last - first + 1 - (ms * requestsPerSecond) / 1_000);
    }
  }
  return most;
}

const arrival = (priorities: readonly Priority[]): fc.Arbitrary<Arrival> =>
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 }), fc.constant(1_000)),
    priority: fc.constantFrom(...priorities),
    lastsMs: fc.integer({ min: 0, max: 50 }),
  });
const rates = fc.constantFrom(0.5, 2, 7, 50, 333, 1_000);
const concurrencies = fc.constantFrom(1, 4, 16);

describe("the limiter", () => {
  it("never starts more in any time than the rate, two intervals and what it lends allow", async () => {
    const all = [PRIORITY.poll, PRIORITY.probe, PRIORITY.act];
    const arrivals = fc.array(arrival(all), { maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(rates, concurrencies, arrivals, async (rate, concurrency, given) => {
        const starts = await startsOf(rate, concurrency, given);
        expect(starts).toHaveLength(given.length);
        const burst = 2 * smoothInterval(rate).cap + mostLent(rate);
        expect(mostBeyond(starts, rate)).toBeLessThanOrEqual(burst + 1e-6);
      }),
      { numRuns: 150 },
    );
  });

  it("lends nothing to polls", async () => {
    const arrivals = fc.array(arrival([PRIORITY.poll]), { maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(rates, concurrencies, arrivals, async (rate, concurrency, given) => {
        const starts = await startsOf(rate, concurrency, given);
        expect(mostBeyond(starts, rate)).toBeLessThanOrEqual(2 * smoothInterval(rate).cap + 1e-6);
      }),
      { numRuns: 60 },
    );
  });

  it("starts a probe and its action at once behind polls that wait, and makes these wait longer", async () => {
    const [poll, probe, act] = [PRIORITY.poll, PRIORITY.probe, PRIORITY.act].map((priority) => ({
      afterMs: 0,
      priority,
      lastsMs: 0,
    }));
    if (poll === undefined || probe === undefined || act === undefined) throw new Error("none");
    const polls = Array.from({ length: 20 }, () => poll);
    const starts = await startsOf(50, 16, [...polls, probe, probe, act]);
    const lent = starts.filter(({ priority }) => priority !== PRIORITY.poll);
    expect(lent.map(({ at, askedAt }) => at - askedAt)).toEqual([0, 0, 0]);
    const [first, second] = starts.filter(({ priority }) => priority === PRIORITY.poll);
    // One each 20 ms; three were taken before their turn.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBe(80);
    const last = starts.at(-1)?.at ?? 0;
    expect(last - (first?.at ?? 0)).toBe(22 * 20);
  });
});

it("is slower by its factor while another may ask in its place, and as fast as before afterwards", async () => {
  let isCutOff = false;
  const rate = { requestsPerSecond: 20, concurrency: 4, cutOffSlowdown: 10 };
  const limiter = createLimiter(rate, { clock, longestPauseMs: 1_000, isCutOff: () => isCutOff });
  let started = 0;
  const polls = Array.from(
    { length: 100 },
    async () =>
      await limiter.run(async () => await Promise.resolve(void (started += 1)), {
        priority: PRIORITY.poll,
        signal: never,
      }),
  );
  const within = async (seconds: number): Promise<number> => {
    const before = started;
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
    return started - before;
  };
  expect(await within(1)).toBeGreaterThanOrEqual(20);
  isCutOff = true;
  expect(await within(5)).toBeLessThanOrEqual(10);
  isCutOff = false;
  expect(await within(1)).toBeGreaterThanOrEqual(19);
  await vi.runAllTimersAsync();
  await Promise.all(polls);
});

describe("a sweep of many, and short polls beside it", () => {
  /** The endpoints in the order in which they were asked, each for so long. */
  const orderOf = async (
    rate: { readonly requestsPerSecond: number; readonly concurrency: number },
    endpoints: readonly string[],
    lastsMs: number,
  ): Promise<string[]> => {
    const limiter = createLimiter(rate, { clock, longestPauseMs: 1_000 });
    const order: string[] = [];
    const tasks = endpoints.map(async (endpoint) => {
      const task = async (): Promise<void> => {
        order.push(endpoint);
        await new Promise((resolve) => {
          setTimeout(resolve, lastsMs);
        });
      };
      await limiter.run(task, { priority: PRIORITY.poll, endpoint, signal: never });
    });
    await vi.runAllTimersAsync();
    await Promise.all(tasks);
    return order;
  };
  const sweep = Array.from({ length: 200 }, () => "activeSwaps");

  it("asks the endpoint that was asked the longest ago, if the rate holds back both", async () => {
    const rate = { requestsPerSecond: 20, concurrency: 256 };
    const order = await orderOf(rate, [...sweep, "exchanges", "disabled"], 1);
    expect(order.indexOf("exchanges")).toBe(1);
    expect(order.indexOf("disabled")).toBe(2);
    expect(order).toHaveLength(202);
  });

  it("gives the next slot that becomes free to an endpoint that has none, if the other one hangs", async () => {
    const rate = { requestsPerSecond: 1_000, concurrency: 3 };
    const order = await orderOf(rate, [...sweep, "exchanges"], 10_000);
    expect(order.indexOf("exchanges")).toBe(2);
  });

  it("asks two sweeps in turn", async () => {
    const rate = { requestsPerSecond: 20, concurrency: 256 };
    const order = await orderOf(rate, [...sweep, ...sweep.map(() => "swapHistory")], 1);
    expect(order.slice(0, 6)).toEqual([
      "activeSwaps",
      "swapHistory",
      "activeSwaps",
      "swapHistory",
      "activeSwaps",
      "swapHistory",
    ]);
  });
});

describe("an endpoint that answers 503", () => {
  const [one, other, third] = [Symbol("one"), Symbol("other"), Symbol("third")];
  const refused = { ok: true, value: { status: 503, headers: {}, body: "" } } as const;
  /** Whether polls pause after these reads were refused one after another. */
  const isPausedBy = async (reads: readonly symbol[]): Promise<boolean> => {
    const rate = { requestsPerSecond: 20, concurrency: 16 };
    const limiter = createLimiter(rate, { clock, longestPauseMs: 60_000 });
    for (const read of reads) {
      await vi.advanceTimersByTimeAsync(10);
      limiter.learn(refused, { endpoint: "activeSwaps", read, sentAt: clock.now() });
    }
    return limiter.isPaused();
  };

  it("pauses after three different reads, and not after two that are tried again in turns", async () => {
    expect(await isPausedBy([one, other, one, other, one, other])).toBe(false);
    expect(await isPausedBy([one, other, one, third])).toBe(true);
  });

  it("does not count what was sent before the last other answer, however late it is refused", async () => {
    const rate = { requestsPerSecond: 20, concurrency: 16 };
    const limiter = createLimiter(rate, { clock, longestPauseMs: 60_000 });
    const sentAt = clock.now();
    const answered = { ok: true, value: { status: 200, headers: {}, body: "" } } as const;
    await vi.advanceTimersByTimeAsync(2);
    limiter.learn(answered, { endpoint: "activeSwaps", read: Symbol("d"), sentAt: sentAt + 1 });
    // A slow answer to what was sent even earlier changes nothing.
    limiter.learn(answered, { endpoint: "activeSwaps", read: Symbol("c"), sentAt: sentAt - 1 });
    for (const read of [one, other, third])
      limiter.learn(refused, { endpoint: "activeSwaps", read, sentAt });
    await vi.advanceTimersByTimeAsync(10);
    limiter.learn(refused, { endpoint: "activeSwaps", read: Symbol("e"), sentAt: clock.now() });
    expect(limiter.isPaused()).toBe(false);
  });
});
