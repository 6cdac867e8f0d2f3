import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LONGEST_OFFSET, slotsToSkip, startOffsetMs } from "../../../src/io/schedule/back-off.ts";

describe("slotsToSkip", () => {
  test("skips nothing at first, and then 1, 3, 7 … slots", () => {
    expect([0, 1, 2, 3, 4, 5, 6].map((failures) => slotsToSkip(failures, 1_000))).toEqual([
      0, 0, 0, 1, 3, 7, 15,
    ]);
  });

  test("still polls at least each minute, or at each slot if those are rarer", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 86_400_000 }), (failures, interval) => {
        const gap = (slotsToSkip(failures, interval) + 1) * interval;
        expect(gap).toBeLessThanOrEqual(Math.max(60_000, interval));
      }),
    );
    expect(slotsToSkip(1_000, 10_000)).toBe(5);
  });
});

describe("startOffsetMs", () => {
  test("is stable, bounded, and spread", () => {
    const names = Array.from({ length: 200 }, (_, index) => `aggregator-${index}`);
    const offsets = names.map((name) => startOffsetMs(name, "exchanges"));
    expect(names.map((name) => startOffsetMs(name, "exchanges"))).toEqual(offsets);
    expect(Math.max(...offsets)).toBeLessThanOrEqual(LONGEST_OFFSET);
    expect(new Set(offsets).size).toBeGreaterThan(80);
  });
});
