import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byKey, filtersOf, moved, spanOf, within, zoomed } from "../../../src/console/text/span.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 31, 12);
const LIMITS = { from: NOW - 24 * HOUR, until: NOW };
const SPAN = { from: NOW - 4 * HOUR, until: NOW - 2 * HOUR };

const KEYS = ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "+", "-"] as const;

describe("the span of a timeline", () => {
  it("stays within what there is, and is never shorter than a second", () => {
    const instant = fc.integer({ min: NOW - 100 * HOUR, max: NOW + 100 * HOUR });
    fc.assert(
      fc.property(instant, instant, fc.array(fc.constantFrom(...KEYS)), (one, other, keys) => {
        let span = within({ from: Math.min(one, other), until: Math.max(one, other) }, LIMITS);
        for (const key of keys) {
          span = byKey(key, span, LIMITS) ?? span;
          expect(span.from).toBeGreaterThanOrEqual(LIMITS.from);
          expect(span.until).toBeLessThanOrEqual(LIMITS.until);
          expect(span.until - span.from).toBeGreaterThanOrEqual(1_000);
        }
      }),
    );
  });

  it("keeps its length at a limit, and what it is zoomed around in its place", () => {
    expect(moved(SPAN, 9 * HOUR, LIMITS)).toEqual({ from: NOW - 2 * HOUR, until: NOW });
    const around = NOW - 3.5 * HOUR;
    expect(zoomed(SPAN, 0.5, LIMITS, around)).toEqual({
      from: NOW - 3.75 * HOUR,
      until: NOW - 2.75 * HOUR,
    });
    expect(zoomed(SPAN, 100, LIMITS)).toEqual(LIMITS);
    const short = { from: SPAN.from, until: SPAN.from + 1_500 };
    expect(zoomed(short, 0.5, LIMITS)).toEqual({
      from: SPAN.from + 250,
      until: SPAN.from + 1_250,
    });
  });

  it("is moved and zoomed by keys, and by no other key", () => {
    expect(byKey("End", SPAN, LIMITS)).toEqual({ from: NOW - 2 * HOUR, until: NOW });
    expect(byKey("Home", SPAN, LIMITS)?.from).toBe(LIMITS.from);
    expect(byKey("PageUp", SPAN, LIMITS)).toEqual({ from: NOW - 6 * HOUR, until: NOW - 4 * HOUR });
    expect(byKey("+", SPAN, LIMITS)).toEqual({ from: NOW - 3.5 * HOUR, until: NOW - 2.5 * HOUR });
    expect(["Tab", "Enter", "a"].map((key) => byKey(key, SPAN, LIMITS))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("stands in the address, and nonsense there is none", () => {
    const filters = filtersOf(SPAN, NOW);
    expect(spanOf(filters, NOW)).toEqual(SPAN);
    const none = [{}, { from: "noon", until: "one" }, { from: "2026-01-02" }, { last: "0s" }];
    for (const nonsense of [...none, { last: "1y" }, { last: "h" }])
      expect(spanOf(nonsense, NOW)).toBeUndefined();
    expect(spanOf({ from: filters.until, until: filters.from }, NOW)).toBeUndefined();
    expect(spanOf({ last: "9999999999d" }, NOW)).toEqual({ from: 0, until: NOW });
  });

  it("stands there by its length alone if it is up to now, and goes on with the time", () => {
    for (const [length, last] of [
      [5 * 60_000, "5m"],
      [24 * HOUR, "1d"],
      [90_000, "90s"],
      [1_234, "1234ms"],
    ] as const) {
      const filters = filtersOf({ from: NOW - length, until: NOW }, NOW);
      expect(filters).toEqual({ from: "", until: "", last });
      expect(spanOf(filters, NOW + 7)).toEqual({ from: NOW + 7 - length, until: NOW + 7 });
    }
  });
});
