import type { Entity, Facts, KindDefinition, PeakSlice } from "../domain/entity.ts";
import type { Instant, Millis } from "../domain/time.ts";

/**
 * The highest value of a fact within a window, in bounded memory: the window is cut into slices and
 * each slice remembers its highest value. The answer is exact but for the window's far edge, where
 * it may reach back one slice too far.
 */
export const SLICES_PER_WINDOW = 12;

/** Adds the kind's kept facts to what was just read, and remembers the reading in the entity. */
export function withPeaks(
  definition: KindDefinition,
  entity: Pick<Entity, "peaks">,
  facts: Facts,
  at: Instant,
): { facts: Facts; peaks?: Record<string, PeakSlice[]> } {
  if (definition.peaks === undefined) return { facts };
  const peaks: Record<string, PeakSlice[]> = {};
  const kept: Record<string, number> = {};
  for (const [name, { of, windowMs }] of Object.entries(definition.peaks)) {
    const value = facts[of];
    const before = entity.peaks?.[name] ?? [];
    const slices = typeof value === "number" ? pushValue(before, value, at, windowMs) : before;
    peaks[name] = slices;
    if (slices.length > 0) kept[name] = Math.max(...slices.map((slice) => slice.highest));
  }
  return { facts: { ...facts, ...kept }, peaks };
}

function pushValue(
  before: readonly PeakSlice[],
  value: number,
  at: Instant,
  windowMs: Millis,
): PeakSlice[] {
  const sliceMs = windowMs / SLICES_PER_WINDOW;
  const slices = before.filter((slice) => slice.from + sliceMs > at - windowMs);
  const last = slices.at(-1);
  if (last !== undefined && at < last.from + sliceMs) {
    return [...slices.slice(0, -1), { from: last.from, highest: Math.max(last.highest, value) }];
  }
  return [...slices, { from: at, highest: value }];
}
