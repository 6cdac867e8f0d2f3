/** What there is to say of many times of the same thing, in milliseconds. */
export type Distribution = {
  readonly min: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
};

/** Each is a value that was measured, by nearest rank: p95 of 30 is the second longest. */
export function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = (share: number): number => {
    const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    if (value === undefined) throw new Error("nothing was measured");
    return value;
  };
  return { min: rank(0), median: rank(0.5), p95: rank(0.95), max: rank(1) };
}
