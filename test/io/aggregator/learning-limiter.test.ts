import { beforeEach, describe, expect, it } from "vitest";
import type { Failure } from "../../../src/domain/http.ts";
import { createLimiter, type Limiter } from "../../../src/io/aggregator/limiter.ts";

/** Tests src/io/aggregator/limiter.ts: what it learns of answers. Nothing here waits. */

const ENDPOINT = "activeSwaps";
const refusal = (status: number): Failure => ({ reason: "status", status, message: "" });

let now = 0;
let limiter: Limiter;

beforeEach(() => {
  now = 1_000_000;
  const rate = { requestsPerSecond: 20, concurrency: 64 };
  limiter = createLimiter(rate, { clock: { now: () => now }, longestPauseMs: 60_000 });
});

/** An answer to what another read has just sent. */
function answer(status: number, headers: Readonly<Record<string, string>> = {}): void {
  now += 10;
  const sent = { endpoint: ENDPOINT, sentAt: now - 5, read: Symbol("read") };
  limiter.learn({ ok: true, value: { status, headers, body: "" } }, sent);
}

describe("a read that failed", () => {
  it("may be tried again while the pace is not the slowest, whatever it says", () => {
    expect(limiter.mayRetry(ENDPOINT, refusal(429))).toBe(true);
    answer(429);
    expect(limiter.pollLimit()).toBeGreaterThan(2);
    expect(limiter.mayRetry(ENDPOINT, refusal(429))).toBe(true);
  });

  it("may not press an aggregator at the slowest pace, but may be tried again for other reasons", () => {
    while (limiter.pollLimit() > 2) answer(429);
    expect(limiter.mayRetry(ENDPOINT, refusal(429))).toBe(false);
    expect(limiter.mayRetry(ENDPOINT, { reason: "timeout", message: "" })).toBe(false);
    expect(limiter.mayRetry(ENDPOINT, refusal(500))).toBe(true);
    expect(limiter.mayRetry("pools", refusal(503))).toBe(true);
    expect(limiter.mayRetry(ENDPOINT, refusal(503))).toBe(false);
  });

  it("with 503 is one bad backend's again after another answer", () => {
    while (limiter.pollLimit() > 2) answer(503);
    expect(limiter.mayRetry(ENDPOINT, refusal(503))).toBe(false);
    answer(404);
    answer(503);
    expect(limiter.pollLimit()).toBe(2);
    expect(limiter.mayRetry(ENDPOINT, refusal(503))).toBe(true);
  });
});

describe("the pause of an endpoint", () => {
  it.each([
    { longestPauseMs: 60_000, lasts: 30_000 },
    { longestPauseMs: 5_000, lasts: 5_000 },
  ])(
    "goes on in a limiter that takes the place, for at most the longest that is set there: $lasts",
    ({ longestPauseMs, lasts }) => {
      answer(429, { "retry-after": "30" });
      const rate = { requestsPerSecond: 10, concurrency: 4 };
      const { paused } = limiter;
      const next = createLimiter(rate, { clock: { now: () => now }, longestPauseMs, paused });
      expect(next.pausedUntil(ENDPOINT)).toBe(now + lasts);
    },
  );

  it("lasts as long as the answer says, and is of that endpoint alone", () => {
    answer(429, { "retry-after": "30" });
    expect(limiter.pausedUntil(ENDPOINT)).toBe(now + 30_000);
    expect(limiter.pausedUntil("pools")).toBeUndefined();
    expect(limiter.isPaused()).toBe(true);
    now += 30_000;
    expect(limiter.isPaused()).toBe(false);
  });

  it("that was guessed is over once the endpoint answers", () => {
    answer(429);
    expect(limiter.isPaused()).toBe(true);
    answer(200);
    expect([limiter.isPaused(), limiter.pausedUntil(ENDPOINT)]).toEqual([false, undefined]);
  });

  it("says nothing of what got no answer, or is of no endpoint", () => {
    const sentAt = now;
    const timedOut = { reason: "timeout", message: "", neverSent: false } as const;
    limiter.learn({ ok: false, problem: timedOut }, { endpoint: ENDPOINT, sentAt });
    const refused = { ok: true, value: { status: 429, headers: {}, body: "" } } as const;
    limiter.learn(refused, { endpoint: undefined, sentAt });
    expect(limiter.isPaused()).toBe(false);
  });
});

describe("the pace of polls", () => {
  it("halves if the aggregator is pressed, once for what was sent before, and grows by good answers", () => {
    const full = limiter.pollLimit();
    const sentAt = now;
    answer(429);
    const half = limiter.pollLimit();
    expect(half).toBe(Math.floor(full / 2));
    const refused = { ok: true, value: { status: 429, headers: {}, body: "" } } as const;
    limiter.learn(refused, { endpoint: ENDPOINT, sentAt });
    expect(limiter.pollLimit()).toBe(half);
    for (let count = 0; count < half + 1; count += 1) answer(200);
    expect(limiter.pollLimit()).toBe(half + 1);
  });
});
