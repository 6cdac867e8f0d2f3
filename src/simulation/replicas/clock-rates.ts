/** Half a per cent slow, half a per cent fast, and right: any two differ by at most one per cent. */
const RATES = [0.995, 1.005, 1] as const;
export const SLOWEST_CLOCK = Math.min(...RATES);

/** How fast the steady clock of each replica runs; undefined if one process runs alone. */
export function clockRates(seed: number, count: number | undefined): number[] | undefined {
  if (count === undefined) return undefined;
  return Array.from({ length: count }, (_, index) => RATES[(seed + index) % RATES.length] ?? 1);
}
