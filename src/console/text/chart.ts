import type { EntityHistoryJson } from "../data/answers.ts";

/** What a chart is drawn of: lines over time, in a drawing of this size. */

export const WIDTH = 600;
export const HEIGHT = 60;

type Fact = EntityHistoryJson["facts"][number];
type Span = { readonly from: number; readonly until: number };

/** A line of the values at the ends, and the area between the extremes, as points; a gap ends both. */
type Stretch = { readonly line: string; readonly area: string };

export type Chart = {
  readonly min: number;
  readonly max: number;
  readonly last: number;
  readonly stretches: readonly Stretch[];
};

/** Undefined of a fact that was not known at all. */
export function chartOf({ buckets }: Fact, bucketMs: number, span: Span): Chart | undefined {
  const last = buckets.at(-1);
  if (last === undefined) return undefined;
  const min = Math.min(...buckets.map((one) => one.min));
  const max = Math.max(...buckets.map((one) => one.max));
  const xOf = (at: number): string => {
    const part = (Math.min(at, span.until) - span.from) / Math.max(1, span.until - span.from);
    return (part * WIDTH).toFixed(1);
  };
  const yOf = (value: number): string =>
    (HEIGHT - 2 - ((value - min) / (max - min || 1)) * (HEIGHT - 4)).toFixed(1);
  const stretches = stretchesOf(buckets, bucketMs).map((own) => {
    const ends = own.map((one) => ({ ...one, begin: Date.parse(one.from) }));
    const over = (valueOf: (one: (typeof ends)[number]) => number): string[] =>
      ends.flatMap((one) => {
        const y = yOf(valueOf(one));
        return [`${xOf(one.begin)},${y}`, `${xOf(one.begin + bucketMs)},${y}`];
      });
    return {
      line: over((one) => one.last).join(" "),
      area: [...over((one) => one.max), ...over((one) => one.min).toReversed()].join(" "),
    };
  });
  return { min, max, last: last.last, stretches };
}

function stretchesOf(buckets: Fact["buckets"], bucketMs: number): Array<Fact["buckets"][number][]> {
  const stretches: Array<Fact["buckets"][number][]> = [];
  let end = Number.NaN;
  for (const bucket of buckets) {
    const begin = Date.parse(bucket.from);
    if (begin === end) stretches.at(-1)?.push(bucket);
    else stretches.push([bucket]);
    end = begin + bucketMs;
  }
  return stretches;
}

/** As many digits as a person compares. */
export function numberText(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100_000) return String(Math.round(value));
  return value.toLocaleString("en", { maximumSignificantDigits: 6, useGrouping: false });
}
