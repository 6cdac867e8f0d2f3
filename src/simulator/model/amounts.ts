/** At most eight decimals, as the aggregator's own fixed point has. */
export function round(amount: number): number {
  return Math.round(amount * 1e8) / 1e8;
}
