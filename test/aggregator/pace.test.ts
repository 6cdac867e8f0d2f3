import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fullPace,
  pauseAfter,
  paceAfter,
  pressureOf,
  type Pause,
  type Pressure,
} from "../../src/aggregator/pace.ts";

const MOST = 16;

describe("the pace", () => {
  it("halves at once if the aggregator is pressed, and grows by one a round", () => {
    let pace = paceAfter(fullPace(MOST), "pressed", 1, 2, MOST);
    expect(pace.limit).toBe(8);
    for (let answers = 0; answers < 9; answers += 1) pace = paceAfter(pace, "well", 3, 4, MOST);
    expect(Math.floor(pace.limit)).toBe(9);
  });

  it("halves once for what was under way together, and again for what was asked since", () => {
    const once = paceAfter(fullPace(MOST), "pressed", 10, 20, MOST);
    expect(paceAfter(once, "pressed", 15, 21, MOST)).toEqual(once);
    expect(paceAfter(once, "pressed", 21, 22, MOST).limit).toBe(4);
  });

  it("stays within its bounds, whatever the answers, and comes back to the full after enough good ones", () => {
    const answers = fc.array(fc.constantFrom<Pressure>("pressed", "well", "unsaid"));
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 64 }), (said, most) => {
        let pace = fullPace(most);
        let at = 0;
        for (const pressure of said) {
          at += 1;
          pace = paceAfter(pace, pressure, at, at + 0.5, most);
          expect(pace.limit).toBeLessThanOrEqual(most);
          expect(pace.limit).toBeGreaterThanOrEqual(Math.min(2, most));
        }
        for (let good = 0; good < most * most; good += 1)
          pace = paceAfter(pace, "well", at, at, most);
        expect(pace.limit).toBe(most);
      }),
    );
  });

  it.each([
    [{ status: 429 }, "pressed"],
    [{ status: 503 }, "pressed"],
    [{ reason: "timeout" }, "pressed"],
    [{ reason: "too_large", status: 503 }, "pressed"],
    [{ reason: "too_large", status: 200 }, "unsaid"],
    [{ status: 200 }, "well"],
    [{ status: 304 }, "well"],
    [{ status: 404 }, "well"],
    [{ status: 500 }, "unsaid"],
    [{ status: 502 }, "unsaid"],
    [{ reason: "connect" }, "unsaid"],
    [{ reason: "cancelled" }, "unsaid"],
  ] as const)("takes %j for %s", (answer, pressure) => {
    expect(pressureOf(answer)).toBe(pressure);
  });
});

describe("leaving alone", () => {
  const after = (
    pause: Pause | undefined,
    answer: Parameters<typeof pauseAfter>[1],
    now: number,
    {
      longestMs = 60_000,
      sentAt = now - 1,
      read = Symbol("a read of its own"),
      answeredSentAt = -Infinity,
      refusedReads = 3,
    } = {},
  ) =>
    pauseAfter(pause, answer, { sentAt, read }, { now, longestMs, answeredSentAt, refusedReads });

  it("lasts as long as Retry-After says, and never longer than the bound", () => {
    expect(after(undefined, { status: 429, retryAfterMs: 5_000 }, 1_000)?.until).toBe(6_000);
    const long = after(undefined, { status: 503, retryAfterMs: 3_600_000 }, 1_000);
    expect(long?.until).toBe(61_000);
    expect(after(long, { status: 429, retryAfterMs: 1_000 }, 2_000)?.until).toBe(61_000);
    for (const status of [200, 429]) expect(after(long, { status }, 2_000)).toBe(long);
  });

  it("follows from nothing but a 429 or 503", () => {
    expect(after(undefined, { status: 500, retryAfterMs: 5_000 }, 0)).toBeUndefined();
    expect(after(undefined, { status: 200 }, 0)).toBeUndefined();
  });

  it("lasts for a second if no time is named, and for twice as long each time, up to a minute", () => {
    let pause: Pause | undefined;
    let now = 0;
    const lengths: number[] = [];
    for (let answers = 0; answers < 9; answers += 1) {
      const answer = answers % 2 === 0 ? { status: 429 } : { status: 503, retryAfterMs: 0 };
      pause = after(pause, answer, now);
      lengths.push((pause?.until ?? 0) - now);
      now = (pause?.until ?? 0) + 10;
    }
    expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(after(pause, { status: 404 }, now)).toBeUndefined();
    const short = after(pause, { status: 429 }, now, { longestMs: 100 });
    expect(short?.until).toBe(now + 100);
  });

  it("does not change by the answers to what was sent before it", () => {
    const pause = after(undefined, { status: 429 }, 100);
    for (const status of [429, 503])
      expect(after(pause, { status }, 150, { sentAt: 100 })).toBe(pause);
    expect(after(pause, { status: 200 }, 150, { sentAt: 99 })).toBe(pause);
  });

  it("ends at once by an answer to what was sent after the refused read", () => {
    const pause = after(undefined, { status: 429 }, 100, { sentAt: 50 });
    expect(after(pause, { status: 200 }, 150, { sentAt: 51 })).toBeUndefined();
    const named = after(undefined, { status: 429, retryAfterMs: 5_000 }, 100, { sentAt: 50 });
    expect(after(named, { status: 200 }, 150, { sentAt: 51 })).toBe(named);
  });

  it("does not begin if what was sent later has an answer already", () => {
    const late = { sentAt: 50, answeredSentAt: 51 };
    expect(after(undefined, { status: 503 }, 100, late)).toBeUndefined();
    expect(after(undefined, { status: 503, retryAfterMs: 1_000 }, 100, late)?.until).toBe(1_100);
  });

  it("begins with the first 429, but by 503 only once three reads in a row were refused", () => {
    const begins = (status: number, refusedReads: number) =>
      after(undefined, { status }, 100, { refusedReads }) !== undefined;
    expect(begins(429, 1)).toBe(true);
    expect([1, 2, 3].map((reads) => begins(503, reads))).toEqual([false, false, true]);
    const pause = after(undefined, { status: 429 }, 100);
    expect(after(pause, { status: 503 }, 2_000, { refusedReads: 1 })?.until).toBe(4_000);
    expect(
      after(undefined, { status: 503, retryAfterMs: 700 }, 100, { refusedReads: 1 })?.until,
    ).toBe(800);
  });

  it("grows no longer by another try of the read that was refused", () => {
    const read = Symbol("one");
    let pause = after(undefined, { status: 503 }, 100, { read });
    pause = after(pause, { status: 503 }, 2_000, { read });
    expect(pause?.until).toBe(3_000);
    expect(after(pause, { status: 503 }, 4_000)?.until).toBe(6_000);
  });
});
