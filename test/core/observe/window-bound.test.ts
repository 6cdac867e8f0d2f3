import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginSeries, extendSeries } from "../../../src/core/observe/window.ts";
import { windowBound } from "../../../src/core/observe/window-bound.ts";
import { nextWindowChange, windowValue } from "../../../src/core/observe/window-value.ts";
import type { WindowSeries } from "../../../src/domain/entity.ts";
import type { FactBound, WindowFunction } from "../../../src/domain/rule.ts";

/** What is sure of a window that was only partly seen, against whatever the rest of it may have been. */

const LENGTH = 30_000;
const FIRST = 1_000_003;
type Bounded = Extract<WindowFunction, "max" | "min" | "count">;
const specOf = (name: WindowFunction) => ({ fact: "base", function: name, lengthMs: LENGTH });

/** From an instant on the value stands until the next one. */
type Change = { readonly at: number; readonly value: number };
/** Nothing is known from one instant until another. */
type Gap = { readonly from: number; readonly until: number };
type Past = {
  readonly seen: readonly Change[];
  readonly gaps: readonly Gap[];
  readonly now: number;
};

const value = fc.integer({ min: -5, max: 20 });
const pause = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 900 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60_000 }) },
);
const readings = fc.array(fc.record({ after: pause, value, lost: fc.boolean() }), {
  minLength: 1,
  maxLength: 60,
});

const past: fc.Arbitrary<Past & { readonly series: (name: Bounded) => WindowSeries }> = fc
  .record({ readings, first: value, later: fc.nat(20_000) })
  .map(({ readings: told, first, later }) => {
    const seen: Change[] = [{ at: FIRST, value: first }];
    const gaps: Gap[] = [];
    let at = FIRST;
    for (const { after, value: next, lost } of told) {
      if (lost) gaps.push({ from: at + Math.floor(after / 2), until: at + after });
      at += after;
      seen.push({ at, value: next });
    }
    const series = (name: Bounded): WindowSeries => {
      const made = beginSeries(first, FIRST);
      for (const { at: read, value: next } of seen.slice(1)) {
        const lostSince = gaps.find(({ until }) => until === read)?.from;
        extendSeries(made, specOf(name), next, lostSince, read);
      }
      return made;
    };
    return { seen, gaps, now: at + later, series };
  });

/** What may have happened where nothing was seen: in the gaps, and before the first reading. */
type Unseen = { readonly share: number; readonly value: number | "as read next" };
const unseen: fc.Arbitrary<Unseen[]> = fc.array(
  fc.record({
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    value: fc.oneof(
      value,
      fc.constantFrom<Unseen["value"]>(-1_000, 1_000),
      fc.constant<Unseen["value"]>("as read next"),
    ),
  }),
  { maxLength: 4 },
);

function completed({ seen, gaps }: Past, fill: ReadonlyArray<readonly Unseen[]>): Change[] {
  const blanks = [{ from: FIRST - 3 * LENGTH, until: FIRST }, ...gaps];
  const filled = blanks.flatMap(({ from, until }, index) => {
    const next = seen.find(({ at }) => at === until)?.value ?? 0;
    return (fill[index % fill.length] ?? []).map((one) => ({
      at: from + Math.floor(one.share * (until - from)),
      value: one.value === "as read next" ? next : one.value,
    }));
  });
  const before = { at: FIRST - 3 * LENGTH - 1, value: 0 };
  // A reading at the same instant as a filled-in change comes last.
  return [before, ...filled, ...seen].toSorted((one, other) => one.at - other.at);
}

/** By brute force, over every value that stood within the window. */
function truly(name: Bounded, all: readonly Change[], now: number): number {
  const start = now - LENGTH;
  const stood = all.filter(
    ({ at }, index) => at <= now && (all[index + 1]?.at ?? Infinity) > start,
  );
  const values = stood.map((one) => one.value);
  if (name === "max") return Math.max(...values);
  if (name === "min") return Math.min(...values);
  return all.filter(({ at, value: next }, index) => {
    const known = all[index - 1]?.value;
    return at > start && at <= now && known !== undefined && known !== next;
  }).length;
}

function fullValue(name: Bounded, all: readonly Change[], now: number): number | undefined {
  const [first, ...rest] = all;
  if (first === undefined) return undefined;
  const series = beginSeries(first.value, first.at);
  for (const { at, value: next } of rest) extendSeries(series, specOf(name), next, undefined, at);
  return windowValue(specOf(name), series, now);
}

function expectWithin(bound: FactBound, real: number | undefined): void {
  expect(real).toBeDefined();
  if (bound.is === "at least") expect(real).toBeGreaterThanOrEqual(bound.value);
  else expect(real).toBeLessThanOrEqual(bound.value);
}

describe("what is sure of a window that was only partly seen", () => {
  it.each<Bounded>(["max", "min", "count"])(
    "%s: holds whatever happened where nothing was seen",
    (name) => {
      let bounded = 0;
      fc.assert(
        fc.property(past, fc.array(unseen, { minLength: 1, maxLength: 5 }), (told, fill) => {
          const series = told.series(name);
          const bound = windowBound(specOf(name), series, told.now);
          if (bound === undefined) return;
          bounded += windowValue(specOf(name), series, told.now) === undefined ? 1 : 0;
          const all = completed(told, fill);
          expectWithin(bound, truly(name, all, told.now));
          expectWithin(bound, fullValue(name, all, told.now));
          expect(bound.seenMs).toBeGreaterThanOrEqual(0);
          expect(bound.seenMs).toBeLessThanOrEqual(LENGTH + 1);
        }),
        { numRuns: 1_000 },
      );
      expect(bounded).toBeGreaterThan(100);
    },
  );

  it.each<Bounded>(["max", "min", "count"])(
    "%s: does not change by time before the window says that it does",
    (name) => {
      fc.assert(
        fc.property(past, fc.double({ min: 0, max: 1, noNaN: true }), ({ series, now }, share) => {
          const made = series(name);
          const next = nextWindowChange(specOf(name), made, now);
          if (next <= now) return;
          const last = next === Infinity ? now + 10 * LENGTH : next - 1;
          const then = now + Math.floor((last - now) * share);
          const isKnown = windowValue(specOf(name), made, now) !== undefined;
          if (isKnown) return;
          expect(windowBound(specOf(name), made, then)?.value).toBe(
            windowBound(specOf(name), made, now)?.value,
          );
        }),
        { numRuns: 500 },
      );
    },
  );

  it.each([
    { name: "max" as const, is: "at least", value: 100 },
    { name: "min" as const, is: "at most", value: 10 },
    { name: "count" as const, is: "at least", value: 1 },
  ])("$name is $is what was seen, from the first reading on", ({ name, is, value: sure }) => {
    const series = beginSeries(100, FIRST);
    extendSeries(series, specOf(name), 10, undefined, FIRST + 5_000);
    expect(windowBound(specOf(name), series, FIRST + 6_000)).toEqual({
      is,
      value: sure,
      seenMs: 6_000,
      ofMs: LENGTH,
    });
  });

  it("remembers what stood before a long gap", () => {
    const series = beginSeries(100, FIRST);
    extendSeries(series, specOf("max"), 40, FIRST + 50_000, FIRST + 65_000);
    expect(windowValue(specOf("max"), series, FIRST + 66_000)).toBeUndefined();
    const bound = windowBound(specOf("max"), series, FIRST + 66_000);
    expect(bound).toEqual({ is: "at least", value: 100, seenMs: 15_000, ofMs: LENGTH });
  });

  it("counts no change of a gap that begins with the window: it may have been at that very instant", () => {
    const series = beginSeries(1, FIRST);
    extendSeries(series, specOf("count"), 2, FIRST + 5_000, FIRST + 9_000);
    const boundAt = (now: number) => windowBound(specOf("count"), series, now)?.value;
    expect(boundAt(FIRST + 5_000 + LENGTH - 1)).toBe(1);
    expect(boundAt(FIRST + 5_000 + LENGTH)).toBeUndefined();
  });

  it.each<WindowFunction>(["avg", "offset", "change_ratio", "rate"])("%s: nothing is", (name) => {
    const series = beginSeries(100, FIRST);
    expect(windowBound(specOf(name), series, FIRST + 6_000)).toBeUndefined();
  });
});
