/** Tests src/core/observe/window.ts: window accuracy. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  beginSeries,
  extendSeries,
  MOST_LOST_RATIO,
  SLICES_PER_WINDOW,
} from "../../../src/core/observe/window.ts";
import { nextWindowChange, windowValue } from "../../../src/core/observe/window-value.ts";
import type { WindowSeries } from "../../../src/domain/entity.ts";
import type { WindowFunction } from "../../../src/domain/rule.ts";

/** What is remembered in slices against the whole past, over random pasts. */

const LENGTH = 30_000;
const SLICE = LENGTH / SLICES_PER_WINDOW;

/** A stretch of the past, exactly. */
type Stretch = { readonly from: number; until: number; readonly value: number | null };

type Step = { readonly after: number; readonly value: number | null; readonly lost: boolean };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    after: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 400 }) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
    ),
    value: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -5, max: 20 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    lost: fc.boolean(),
  }),
  { minLength: 1, maxLength: 150 },
);

type Past = { readonly series: WindowSeries; readonly stretches: Stretch[]; readonly at: number };

/** Tells the same past to a series and to a list that forgets nothing. */
function tell(name: WindowFunction, told: readonly Step[], to?: number): Past {
  const first = 1_000_003;
  const series = beginSeries(7, first);
  const stretches: Stretch[] = [{ from: first, until: first, value: 7 }];
  let at = first;
  const become = (value: number | null, from: number): void => {
    const last = stretches.at(-1);
    if (last === undefined || Object.is(last.value, value)) return;
    last.until = from;
    stretches.push({ from, until: from, value });
  };
  for (const { after, value, lost } of told) {
    const lostSince = lost ? at + Math.floor(after / 2) : undefined;
    at += after;
    const spec = specOf(name, to);
    extendSeries(series, spec, value ?? undefined, lostSince, at);
    if (lostSince !== undefined) become(null, lostSince);
    become(value, at);
  }
  return { series, stretches, at };
}

function within(stretches: readonly Stretch[], start: number, now: number) {
  return stretches
    .map((stretch, index) => {
      const until = index === stretches.length - 1 ? now : stretch.until;
      return { ...stretch, until, overlap: until - Math.max(start, stretch.from) };
    })
    .filter(({ until, from }) => until > start || from === now || until === now);
}

const valuesOf = (stretches: readonly Stretch[], start: number, now: number): number[] =>
  within(stretches, start, now).flatMap(({ value }) => value ?? []);

function changesIn(
  stretches: readonly Stretch[],
  start: number,
  now: number,
  to: number | undefined,
): number {
  let known: number | null = null;
  let changes = 0;
  for (const { from, value } of stretches) {
    if (value === null) continue;
    const counts = known !== null && known !== value && (to ?? value) === value;
    if (counts && from > start && from <= now) changes += 1;
    known = value;
  }
  return changes;
}

function specOf(name: WindowFunction, to?: number) {
  return { fact: "base", function: name, lengthMs: LENGTH, ...(to === undefined ? {} : { to }) };
}

function check(name: WindowFunction, { series, stretches }: Past, now: number, to?: number): void {
  const spec = specOf(name, to);
  const value = windowValue(spec, series, now);
  const start = now - LENGTH;
  if (start < (stretches[0]?.from ?? 0)) {
    expect(value).toBeUndefined();
    return;
  }
  if (name === "offset") {
    const near = within(stretches, start - SLICE, Math.min(start + SLICE, now));
    const possible = near.filter(({ from }) => from <= start + SLICE).map((one) => one.value);
    expect(possible).toContain(value ?? null);
    return;
  }
  const pieces = within(stretches, start, now);
  const lost = pieces.reduce((sum, one) => sum + (one.value === null ? one.overlap : 0), 0);
  const limit = LENGTH * MOST_LOST_RATIO;
  if (lost > limit + SLICE) expect(value).toBeUndefined();
  if (lost < limit - SLICE) expect(value).toBeDefined();
  if (value === undefined) return;
  const far = start - SLICE;
  if (name === "max") {
    expect(value).toBeGreaterThanOrEqual(Math.max(...valuesOf(stretches, start, now)));
    expect(value).toBeLessThanOrEqual(Math.max(...valuesOf(stretches, far, now)));
  } else if (name === "min") {
    expect(value).toBeLessThanOrEqual(Math.min(...valuesOf(stretches, start, now)));
    expect(value).toBeGreaterThanOrEqual(Math.min(...valuesOf(stretches, far, now)));
  } else if (name === "count") {
    expect(value).toBeGreaterThanOrEqual(changesIn(stretches, start, now, to));
    expect(value).toBeLessThanOrEqual(changesIn(stretches, far, now, to));
  } else {
    const known = pieces.filter((one) => one.value !== null);
    const weight = known.reduce((sum, one) => sum + one.overlap, 0);
    const area = known.reduce((sum, one) => sum + one.overlap * (one.value ?? 0), 0);
    const values = valuesOf(stretches, far, now);
    const range = Math.max(...values) - Math.min(...values);
    expect(Math.abs(value - area / weight)).toBeLessThanOrEqual(
      (2 * range * SLICE) / weight + 1e-9,
    );
  }
}

it.each<WindowFunction>(["max", "min", "avg", "offset", "count"])(
  "%s is exact except for one slice",
  (name) => {
    fc.assert(
      fc.property(steps, fc.nat(70_000), (told, later) => {
        // Asked after each reading, and once more when time has passed.
        for (let length = 1; length <= told.length; length += Math.ceil(told.length / 5)) {
          const past = tell(name, told.slice(0, length));
          check(name, past, past.at);
          check(name, past, past.at + later);
        }
      }),
      { numRuns: 300 },
    );
  },
);

it("count of changes to one value is exact except for one slice", () => {
  const few = steps.map((told) =>
    told.map((step) => ({ ...step, value: step.value === null ? null : Math.abs(step.value) % 3 })),
  );
  fc.assert(
    fc.property(few, fc.nat(70_000), (told, later) => {
      const past = tell("count", told, 1);
      check("count", past, past.at, 1);
      check("count", past, past.at + later, 1);
    }),
    { numRuns: 300 },
  );
});

it.each<WindowFunction>(["max", "min", "offset", "rate", "change_ratio", "count", "avg"])(
  "%s does not change by time before it says that it does",
  (name) => {
    const spec = { fact: "base", function: name, lengthMs: LENGTH };
    fc.assert(
      fc.property(
        steps,
        fc.nat(40_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (told, later, share) => {
          const { series, at } = tell(name, told);
          const now = at + later;
          const next = nextWindowChange(spec, series, now);
          if (next <= now) return;
          const last = next === Infinity ? now + 10 * LENGTH : next - 1;
          const then = now + Math.floor((last - now) * share);
          expect(windowValue(spec, series, then)).toBe(windowValue(spec, series, now));
        },
      ),
      { numRuns: 300 },
    );
  },
);
