import { describe, expect, it } from "vitest";
import { SLICES_PER_WINDOW, withPeaks } from "../../src/core/peaks.ts";
import type { Facts, KindDefinition, PeakSlice } from "../../src/domain/entity.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { poolKind } from "../../src/pollers/kinds.ts";

type Kept = { readonly facts: Facts; readonly peaks?: Record<string, PeakSlice[]> };

function read(readings: ReadonlyArray<readonly [minute: number, facts: Facts]>): Kept {
  let kept: Kept = { facts: {} };
  for (const [minute, facts] of readings) kept = withPeaks(poolKind, kept, facts, minute * MINUTE);
  return kept;
}

describe("peaks", () => {
  it("leave a kind without peaks as it is", () => {
    const kind: KindDefinition = { kind: "x", means: "", facts: {}, whenAbsent: "gone" };
    expect(withPeaks(kind, {}, { base: 5 }, 0)).toStrictEqual({ facts: { base: 5 } });
  });

  it("remember the highest value of the window", () => {
    expect(
      read([
        [0, { base: 10 }],
        [1, { base: 30 }],
        [30, { base: 5 }],
      ]).facts,
    ).toStrictEqual({
      base: 5,
      base_peak: 30,
    });
  });

  it("forget what is older than the window and one slice", () => {
    expect(
      read([
        [0, { base: 30 }],
        [64, { base: 5 }],
      ]).facts["base_peak"],
    ).toBe(30);
    expect(
      read([
        [0, { base: 30 }],
        [65, { base: 5 }],
      ]).facts["base_peak"],
    ).toBe(5);
  });

  it("say nothing of a fact that was never read", () => {
    expect(read([[0, { base: 10 }]]).facts).not.toHaveProperty("quote_peak");
  });

  it("stand while the fact is missing, and go when the window has passed", () => {
    expect(
      read([
        [0, { base: 10 }],
        [10, {}],
      ]).facts["base_peak"],
    ).toBe(10);
    expect(
      read([
        [0, { base: 10 }],
        [70, {}],
      ]).facts,
    ).not.toHaveProperty("base_peak");
  });

  it("take bounded memory however often is read", () => {
    const readings = Array.from({ length: 2_000 }, (_, index): readonly [number, Facts] => [
      index / 10,
      { base: index },
    ]);
    const slices = read(readings).peaks?.["base_peak"] ?? [];
    expect(slices.length).toBeLessThanOrEqual(SLICES_PER_WINDOW + 1);
    expect(slices.every((slice) => slice.from > 199.9 * MINUTE - HOUR - 5 * MINUTE)).toBe(true);
  });

  it("give the very same slices back where nothing of them has changed", () => {
    const before = read([[0, { base: 10, quote: 1 }]]);
    const after = withPeaks(poolKind, before, { base: 9, quote: 1 }, MINUTE);
    expect(after.peaks).toBe(before.peaks);
  });
});
