import { describe, expect, it } from "vitest";
import { chartOf, numberText } from "../../../src/console/text/chart.ts";

const bucket = (second: number, min: number, max: number, last: number) => ({
  from: new Date(second * 1_000).toISOString(),
  min,
  max,
  last,
});
const span = { from: 0, until: 60_000 };

describe("chartOf", () => {
  it("draws the last values as a line within the extremes, over the whole span", () => {
    const buckets = [bucket(0, 1, 3, 2), bucket(30, 2, 5, 5)];
    const chart = chartOf({ name: "base", means: null, buckets }, 30_000, span);
    expect(chart).toMatchObject({ min: 1, max: 5, last: 5 });
    expect(chart?.stretches).toEqual([
      {
        line: "0.0,44.0 300.0,44.0 300.0,2.0 600.0,2.0",
        area: "0.0,30.0 300.0,30.0 300.0,2.0 600.0,2.0 600.0,44.0 300.0,44.0 300.0,58.0 0.0,58.0",
      },
    ]);
  });

  it("draws nothing where it was not known", () => {
    const buckets = [bucket(0, 1, 1, 1), bucket(40, 2, 2, 2)];
    const chart = chartOf({ name: "base", means: null, buckets }, 20_000, span);
    expect(chart?.stretches.map(({ line }) => line)).toEqual([
      "0.0,58.0 200.0,58.0",
      "400.0,2.0 600.0,2.0",
    ]);
    expect(chartOf({ name: "base", means: null, buckets: [] }, 20_000, span)).toBeUndefined();
  });
});

it("Numbers have as many digits as a person compares", () => {
  expect([0.1 + 0.2, 1_234_567.89, 1.234_567_8, 3].map(numberText)).toEqual([
    "0.3",
    "1234568",
    "1.23457",
    "3",
  ]);
});
