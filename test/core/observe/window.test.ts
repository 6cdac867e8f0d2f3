import { describe, expect, it } from "vitest";
import {
  beginSeries,
  extendSeries,
  seriesKey,
  SLICES_PER_WINDOW,
} from "../../../src/core/observe/window.ts";
import { nextWindowChange, windowValue } from "../../../src/core/observe/window-value.ts";
import type { FactValue, WindowSeries } from "../../../src/domain/entity.ts";
import type { WindowFunction } from "../../../src/domain/rule.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";

type Reading = readonly [minute: number, value: FactValue | undefined, lostSinceMinute?: number];

const specOf = (name: WindowFunction) => ({ fact: "base", function: name, lengthMs: HOUR });

function seriesOf(name: WindowFunction, readings: readonly Reading[]): WindowSeries | undefined {
  let series: WindowSeries | undefined;
  for (const [minute, value, lostSince] of readings) {
    const at = minute * MINUTE;
    if (series === undefined) {
      if (value !== undefined) series = beginSeries(value, at);
    } else {
      const lost = lostSince === undefined ? undefined : lostSince * MINUTE;
      extendSeries(series, specOf(name), value, lost, at);
    }
  }
  return series;
}

function read(name: WindowFunction, minute: number, readings: readonly Reading[]) {
  return windowValue(specOf(name), seriesOf(name, readings), minute * MINUTE);
}

const STEPS: readonly Reading[] = [
  [0, 10],
  [30, 40],
  [45, 20],
];

describe("a window of one hour", () => {
  it.each<[string, WindowFunction, number, readonly Reading[], number | undefined]>([
    ["has the highest value", "max", 60, STEPS, 40],
    ["has the lowest value", "min", 60, STEPS, 10],
    ["has the mean over time", "avg", 60, STEPS, (10 * 30 + 40 * 15 + 20 * 15) / 60],
    ["has the value at its start", "offset", 60, STEPS, 10],
    ["has the value at its start, later", "offset", 90, STEPS, 40],
    ["has the change since its start", "change_ratio", 60, STEPS, 1],
    ["has a fall as a negative change", "change_ratio", 90, STEPS, -0.5],
    ["has the rise per second", "rate", 60, STEPS, 10 / 3_600],
    ["has a fall as a negative rate", "rate", 90, STEPS, -20 / 3_600],
    ["has the number of changes", "count", 60, STEPS, 2],
    ["counts no first reading as a change", "count", 60, [[0, 10]], 0],
    [
      "counts changes of words",
      "count",
      60,
      [
        [0, "a"],
        [9, "b"],
        [10, "a"],
      ],
      2,
    ],
    [
      "counts changes and not readings",
      "count",
      60,
      [
        [0, "a"],
        [9, "a"],
        [10, "a"],
      ],
      0,
    ],
    [
      "knows what stood before it began",
      "max",
      89,
      [
        [0, 10],
        [30, 5],
      ],
      10,
    ],
    [
      "forgets what ended before it began",
      "max",
      90,
      [
        [0, 10],
        [30, 5],
      ],
      5,
    ],
    [
      "forgets the lowest as well",
      "min",
      90,
      [
        [0, 1],
        [30, 5],
      ],
      5,
    ],
    [
      "forgets changes",
      "count",
      90,
      [
        [0, 1],
        [30, 5],
      ],
      0,
    ],
    ["stands with a value that stands for long", "max", 6_000, [[0, 10]], 10],
    ["means what stands for long", "avg", 6_000, [[0, 10]], 10],
    [
      "has now in it",
      "max",
      60,
      [
        [0, 10],
        [60, 50],
      ],
      50,
    ],
    [
      "has a change at now in it",
      "count",
      60,
      [
        [0, 10],
        [60, 50],
      ],
      1,
    ],
    [
      "weighs a value at now by the time it stood",
      "avg",
      60,
      [
        [0, 10],
        [60, 50],
      ],
      10,
    ],
    [
      "has no ratio to zero",
      "change_ratio",
      60,
      [
        [0, 0],
        [10, 5],
      ],
      undefined,
    ],
    [
      "has a rate from zero",
      "rate",
      60,
      [
        [0, 0],
        [10, 36],
      ],
      0.01,
    ],
    ["is unknown without a reading", "max", 60, [], undefined],
    ["is unknown until it is covered", "max", 59.99, STEPS, undefined],
    ["is unknown until it is covered: count", "count", 59.99, STEPS, undefined],
    ["is unknown until it is covered: offset", "offset", 59.99, STEPS, undefined],
    [
      "begins with the first reading of the fact",
      "max",
      60,
      [
        [0, undefined],
        [10, 5],
      ],
      undefined,
    ],
    [
      "is covered an hour after it",
      "max",
      70,
      [
        [0, undefined],
        [10, 5],
      ],
      5,
    ],
  ])("%s", (_, name, minute, readings, expected) => {
    const value = read(name, minute, readings);
    if (expected === undefined) expect(value).toBeUndefined();
    else expect(value).toBeCloseTo(expected, 9);
  });
});

describe("a gap in a window", () => {
  /** Known but from minute 30 to the given one. */
  const lostUntil = (minute: number, after: FactValue = 10): readonly Reading[] => [
    [0, 10],
    [minute, after, 30],
  ];

  it.each<[string, WindowFunction, number, readonly Reading[], number | undefined]>([
    ["of a fifth leaves the highest value known", "max", 60, lostUntil(42), 10],
    ["of more than a fifth does not", "max", 60, lostUntil(42.1), undefined],
    ["of more than a fifth takes the mean", "avg", 60, lostUntil(42.1), undefined],
    ["of more than a fifth takes the count", "count", 60, lostUntil(42.1), undefined],
    ["leaves it again with time", "max", 96, lostUntil(48), 10],
    ["and not before", "max", 95.9, lostUntil(48), undefined],
    ["is not part of the mean", "avg", 60, lostUntil(40, 60), (10 * 30 + 60 * 20) / 50],
    ["matters not to a value before it", "offset", 60, lostUntil(59), 10],
    ["has no value where the window starts in it", "offset", 95, lostUntil(40), undefined],
    ["nor a change from there", "change_ratio", 95, lostUntil(40), undefined],
    ["nor a rate from there", "rate", 95, lostUntil(40), undefined],
    ["hides no change that shows after it", "count", 60, lostUntil(40, 60), 1],
    ["is not a change by itself", "count", 60, lostUntil(40), 0],
    [
      "grows while the fact is missing",
      "max",
      62,
      [
        [0, 10],
        [50, undefined],
      ],
      10,
    ],
    [
      "until too little is known",
      "max",
      62.1,
      [
        [0, 10],
        [50, undefined],
      ],
      undefined,
    ],
    [
      "leaves the past known",
      "offset",
      62,
      [
        [0, 10],
        [50, undefined],
      ],
      10,
    ],
    [
      "leaves no change from it",
      "rate",
      62,
      [
        [0, 10],
        [50, undefined],
      ],
      undefined,
    ],
  ])("%s", (_, name, minute, readings, expected) => {
    const value = read(name, minute, readings);
    if (expected === undefined) expect(value).toBeUndefined();
    else expect(value).toBeCloseTo(expected, 9);
  });
});

describe("the time at which a window changes by itself", () => {
  it.each<[string, WindowFunction, number, readonly Reading[], number]>([
    ["is when it is covered", "max", 10, STEPS, 60],
    ["is when the highest value leaves it", "max", 60, STEPS, 105],
    ["is when the value at its start changes", "offset", 60, STEPS, 90],
    ["is when a change leaves it", "count", 90, STEPS, 105],
    ["is always, for a mean of more than one value", "avg", 60, STEPS, 60],
    ["is never, for one value", "avg", 60, [[0, 10]], Infinity],
    ["is never, once one value is left", "max", 105, STEPS, Infinity],
    ["is never, without a reading", "max", 60, [], Infinity],
    [
      "is always, while it loses ever more",
      "max",
      60,
      [
        [0, 10],
        [55, undefined],
      ],
      60,
    ],
    [
      "is never, once all is lost and nothing that was seen is left",
      "max",
      120,
      [
        [0, 10],
        [55, undefined],
      ],
      Infinity,
    ],
    [
      "is always, while a gap leaves it",
      "max",
      75,
      [
        [0, 10],
        [50, 10, 30],
      ],
      75,
    ],
  ])("%s", (_, name, minute, readings, expected) => {
    const next = nextWindowChange(specOf(name), seriesOf(name, readings), minute * MINUTE);
    expect(next / MINUTE).toBe(expected);
  });
});

describe("a series", () => {
  it("is shared by what can be answered from it", () => {
    expect(seriesKey(specOf("rate"))).toBe(seriesKey(specOf("offset")));
    expect(seriesKey(specOf("change_ratio"))).toBe(seriesKey(specOf("offset")));
    expect(seriesKey(specOf("max"))).not.toBe(seriesKey(specOf("min")));
    expect(seriesKey(specOf("max"))).not.toBe(seriesKey({ ...specOf("max"), lengthMs: MINUTE }));
  });

  it("says that a value that stands changes nothing, and keeps nothing of it", () => {
    const series = seriesOf("avg", [[0, 10]]);
    if (series === undefined) throw new Error("no series");
    const before = JSON.stringify(series);
    expect(extendSeries(series, specOf("avg"), 10, undefined, 100 * MINUTE)).toBe(false);
    expect(JSON.stringify(series)).toBe(before);
  });

  it.each<[WindowFunction, (index: number) => number, pieces: number, bytes: number]>([
    ["max", (index) => 1e9 - index / 3, SLICES_PER_WINDOW + 2, 2_000],
    ["max", (index) => index / 3, 1, 200],
    ["min", (index) => index / 3, SLICES_PER_WINDOW + 2, 2_000],
    ["count", (index) => index, SLICES_PER_WINDOW + 2, 1_500],
    ["offset", (index) => index / 3, 2 * SLICES_PER_WINDOW + 3, 3_500],
    ["avg", (index) => index / 3, 2 * SLICES_PER_WINDOW + 3, 3_500],
  ])("of %s takes bounded room however often is read", (name, valueAt, pieces, bytes) => {
    const spec = specOf(name);
    const series = beginSeries(valueAt(0), 0);
    for (let index = 1; index < 5_000; index += 1) {
      extendSeries(series, spec, valueAt(index), undefined, index * 7 * SECOND);
      expect(series.pieces.length).toBeLessThanOrEqual(pieces);
    }
    expect(JSON.stringify(series).length).toBeLessThan(bytes);
  });
});
