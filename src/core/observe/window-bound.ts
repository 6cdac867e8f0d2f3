import type { WindowPiece, WindowSeries } from "../../domain/entity.ts";
import type { FactBound, WindowFunction, WindowSpec } from "../../domain/rule.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { SLICES_PER_WINDOW } from "./window.ts";

/**
 * What is sure of a window of which too little was seen, as it is not covered yet or too much of it was lost. Seeing
 * more of it can only raise the highest value and the number of changes, and lower the lowest value. Nothing is sure of
 * the other functions.
 */
const BOUNDS: Readonly<Partial<Record<WindowFunction, FactBound["is"]>>> = {
  max: "at least",
  min: "at most",
  count: "at least",
};

export function windowBound(
  spec: Omit<WindowSpec, "name">,
  series: WindowSeries | undefined,
  now: Instant,
): FactBound | undefined {
  const is = BOUNDS[spec.function];
  if (is === undefined || series === undefined) return undefined;
  const start = now - spec.lengthMs;
  const seen: number[] = [];
  let seenMs = 0;
  let from = series.from;
  for (const piece of series.pieces) {
    seenMs += seenOf(piece, from, start);
    if (piece.value !== null && isWithin(spec, piece, from, start)) seen.push(piece.value);
    from = piece.until;
  }
  if (series.value !== null) {
    seenMs += now - Math.max(from, start);
    if (spec.function !== "count" && typeof series.value === "number") seen.push(series.value);
  }
  if (seen.length === 0) return undefined;
  const value = valueOf(spec.function, seen);
  return { is, value, seenMs, ofMs: spec.lengthMs };
}

function valueOf(name: WindowFunction, seen: readonly number[]): number {
  if (name === "count") return seen.reduce((sum, changes) => sum + changes, 0);
  return name === "max" ? Math.max(...seen) : Math.min(...seen);
}

/** About how much of a piece lies within the window and was not lost. */
function seenOf({ until, lost = 0 }: WindowPiece, from: Instant, start: Instant): Millis {
  const within = until - Math.max(from, start);
  if (within <= 0) return 0;
  return Math.round(within * (1 - lost / Math.max(until - from, 1)));
}

/**
 * Whether what a piece says surely held within the window. A piece that began before the window counts no changes, as
 * it does not say when they were; but its value held until its end, or until another value of the same slice replaced
 * it.
 */
function isWithin(
  { function: name, lengthMs }: Omit<WindowSpec, "name">,
  { until, lost = 0 }: WindowPiece,
  from: Instant,
  start: Instant,
): boolean {
  if (until <= start) return false;
  // The first instant is not part of the window: a change within a gap may have been right then.
  if (name === "count" && from === start) return lost === 0;
  if (from >= start) return true;
  if (name === "count") return false;
  const sliceMs = lengthMs / SLICES_PER_WINDOW;
  return Math.floor(until / sliceMs) * sliceMs > start;
}
