import type { WindowPiece, WindowSeries } from "../../domain/entity.ts";
import type { WindowSpec } from "../../domain/rule.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { MOST_LOST_RATIO } from "./window.ts";

/** The value of a windowed fact at an instant; undefined if it is not known. */
export function windowValue(
  spec: Omit<WindowSpec, "name">,
  series: WindowSeries | undefined,
  now: Instant,
): number | undefined {
  const start = now - spec.lengthMs;
  if (series === undefined || series.from > start) return undefined;
  const value = isAboutStart(spec)
    ? sinceStart(spec, series, start)
    : withinWindow(spec, series, start, now);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/**
 * When time alone next changes the value of the window: an instant, `now` if it moves all the time, or
 * Infinity if only another reading changes it.
 */
export function nextWindowChange(
  spec: Omit<WindowSpec, "name">,
  series: WindowSeries | undefined,
  now: Instant,
): Instant {
  if (series === undefined) return Infinity;
  const start = now - spec.lengthMs;
  if (series.from > start) return series.from + spec.lengthMs;
  const first = series.pieces.find(({ until }) => until > start);
  const leaves = first === undefined ? Infinity : first.until + spec.lengthMs;
  if (isAboutStart(spec)) return leaves;
  const isKnown = windowValue(spec, series, now) !== undefined;
  // The lost time grows while the fact is unknown, and what was seen before leaves the window.
  if (series.value === null) return isKnown || first !== undefined ? now : Infinity;
  const moves = first !== undefined && (spec.function === "avg" || !isKnown);
  return moves ? now : leaves;
}

function isAboutStart({ function: name }: Pick<WindowSpec, "function">): boolean {
  return name === "offset" || name === "change_ratio" || name === "rate";
}

function sinceStart(
  spec: Omit<WindowSpec, "name">,
  series: WindowSeries,
  start: Instant,
): number | undefined {
  const piece = series.pieces.find(({ until }) => until > start);
  const then = piece === undefined ? series.value : piece.value;
  if (typeof then !== "number") return undefined;
  if (spec.function === "offset") return then;
  if (typeof series.value !== "number") return undefined;
  const difference = series.value - then;
  if (spec.function === "rate") return difference / (spec.lengthMs / 1_000);
  return then === 0 ? undefined : difference / then;
}

/** Sums and extremes over the pieces of a window. */
type Gathered = {
  lost: Millis;
  known: Millis;
  highest: number;
  lowest: number;
  area: number;
  changes: number;
};

function withinWindow(
  spec: Omit<WindowSpec, "name">,
  series: WindowSeries,
  start: Instant,
  now: Instant,
): number | undefined {
  const all: Gathered = {
    lost: 0,
    known: 0,
    highest: -Infinity,
    lowest: Infinity,
    area: 0,
    changes: 0,
  };
  let from = series.from;
  for (const piece of series.pieces) {
    if (piece.until > start) gather(all, piece, from, start);
    from = piece.until;
  }
  const current = typeof series.value === "number" ? series.value : null;
  const lost = series.value === null ? now - series.at : 0;
  const value = spec.function === "count" ? 0 : current;
  gather(all, { until: now, value, lost }, from, start);
  if (all.lost > spec.lengthMs * MOST_LOST_RATIO) return undefined;
  if (spec.function === "max") return all.highest;
  if (spec.function === "min") return all.lowest;
  if (spec.function === "count") return all.changes;
  return all.known > 0 ? all.area / all.known : undefined;
}

/** Only part of the first piece may lie within the window: what was lost of it counts by its share. */
function gather(all: Gathered, piece: WindowPiece, from: Instant, start: Instant): void {
  const length = piece.until - from;
  const within = piece.until - Math.max(from, start);
  const lost = length > 0 ? ((piece.lost ?? 0) * within) / length : 0;
  all.lost += lost;
  all.known += within - lost;
  if (piece.value === null) return;
  all.highest = Math.max(all.highest, piece.value);
  all.lowest = Math.min(all.lowest, piece.value);
  all.area += piece.value * (within - lost);
  all.changes += piece.value;
}
