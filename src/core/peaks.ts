import type { Entity, Facts, FactValue, KindDefinition, PeakSlice } from "../domain/entity.ts";
import type { Instant, Millis } from "../domain/time.ts";

/**
 * The highest value of a fact within a window, in bounded memory: the window is cut into slices and
 * each slice remembers its highest value. The answer is exact but for the window's far edge, where
 * it may reach back one slice too far.
 */
export const SLICES_PER_WINDOW = 12;

/**
 * Adds the kind's kept facts to what was just read, and remembers the reading. `peaks` is the very same
 * object as the entity's where the reading adds nothing to it.
 */
export function withPeaks(
  definition: KindDefinition,
  entity: Pick<Entity, "peaks">,
  facts: Facts,
  at: Instant,
): { facts: Facts; peaks?: Record<string, PeakSlice[]> } {
  if (definition.peaks === undefined) return { facts };
  const peaks: Record<string, PeakSlice[]> = {};
  const kept: Record<string, number> = {};
  let changed = entity.peaks === undefined;
  for (const [name, { of, windowMs }] of Object.entries(definition.peaks)) {
    const before = entity.peaks?.[name] ?? [];
    const slices = pushValue(before, facts[of], at, windowMs);
    peaks[name] = slices;
    changed ||= slices !== before;
    if (slices.length > 0) kept[name] = Math.max(...slices.map((slice) => slice.highest));
  }
  return { facts: { ...facts, ...kept }, peaks: changed ? peaks : (entity.peaks ?? peaks) };
}

function pushValue(
  before: PeakSlice[],
  value: FactValue | undefined,
  at: Instant,
  windowMs: Millis,
): PeakSlice[] {
  const sliceMs = windowMs / SLICES_PER_WINDOW;
  const within = before.filter((slice) => slice.from + sliceMs > at - windowMs);
  const slices = within.length === before.length ? before : within;
  if (typeof value !== "number") return slices;
  const last = slices.at(-1);
  if (last === undefined || at >= last.from + sliceMs) {
    return [...slices, { from: at, highest: value }];
  }
  if (value <= last.highest) return slices;
  return [...slices.slice(0, -1), { from: last.from, highest: value }];
}
