/** Rounds to eight decimals, like the aggregator's own fixed point. */
export function round(amount: number): number {
  return Math.round(amount * 1e8) / 1e8;
}
