import type { FactValue, WindowPiece, WindowSeries } from "../../domain/entity.ts";
import type { WindowFunction, WindowSpec } from "../../domain/rule.ts";
import { NOT_YET_SET, type Instant, type Millis } from "../../domain/time.ts";

/**
 * Windowed facts. A fact is a value that stands until another is read; a window is the time from
 * `now - length` to `now`, and what is not known in it is lost, never guessed:
 *
 * - `max`, `min`: the highest and lowest value that stood within the window;
 * - `avg`: the mean over time, so how often is polled does not matter;
 * - `offset`: the value that stood at the window's start;
 * - `change_ratio`: `(now - then) / then`, with `then` as `offset` gives it;
 * - `rate`: `(now - then) / length`, per second: how fast it moved, and not a counter's rate;
 * - `count`: how often the value changed, or changed `to` one value. Not how often it was read, which follows from the schedule.
 *
 * All are unknown until the window is covered: the fact was first read before the window's start.
 *
 * Memory is bounded: a window is cut into slices, and what happens within one slice is remembered as
 * one or two pieces. So an answer is exact except for one slice: `max`, `min` and `count` may reach
 * back one slice too far, `avg` and what stood at the start may be off by one slice in time.
 */
export const SLICES_PER_WINDOW = 30;

/** `max`, `min`, `avg` and `count` are unknown if more of the window than this was lost. */
export const MOST_LOST_RATIO = 0.2;

/** What a series must remember: those that only read the start of the window share one. */
type Memory = "max" | "min" | "avg" | "past" | "count";

const MEMORIES: Readonly<Record<WindowFunction, Memory>> = {
  max: "max",
  min: "min",
  avg: "avg",
  offset: "past",
  change_ratio: "past",
  rate: "past",
  count: "count",
};

type SeriesSpec = Omit<WindowSpec, "name">;

/** Windows with the same key are answered from the same series. */
export function seriesKey(spec: SeriesSpec): string {
  const to = spec.to === undefined ? "" : ` to ${JSON.stringify(spec.to)}`;
  return `${MEMORIES[spec.function]} ${spec.fact} ${spec.lengthMs}${to}`;
}

/** Shared by all series whose value has not changed yet, which are most. */
const NO_PIECES: readonly WindowPiece[] = [];

/** A series begins with the first reading that shows the fact. */
export function beginSeries(value: FactValue, at: Instant): WindowSeries {
  const series: WindowSeries = { from: NOT_YET_SET, pieces: NO_PIECES, value, at: NOT_YET_SET };
  series.from = at;
  series.at = at;
  return series;
}

/**
 * Adds a reading of the fact; `lostSince`: nothing sure was known from then until this reading. True if
 * that changed the series: a value that stays the same does not.
 */
export function extendSeries(
  series: WindowSeries,
  spec: SeriesSpec,
  value: FactValue | undefined,
  lostSince: Instant | undefined,
  at: Instant,
): boolean {
  const isLost = lostSince !== undefined && series.value !== null;
  if (isLost) change(series, spec, null, Math.max(lostSince, series.at));
  const next = value ?? null;
  const differs = !Object.is(series.value, next);
  if (differs) change(series, spec, next, at);
  return isLost || differs;
}

function change(series: WindowSeries, spec: SeriesSpec, next: FactValue | null, at: Instant): void {
  const memory = MEMORIES[spec.function];
  const lost = series.value === null ? at - series.at : 0;
  const known = series.value ?? series.before;
  delete series.before;
  if (memory === "count" && next === null && known !== undefined) series.before = known;
  // Over a gap a change is sure only if the value after it differs from the one before.
  const isChange = next !== null && known !== undefined && !Object.is(known, next);
  const changes = isChange && (spec.to === undefined || spec.to === next) ? 1 : 0;
  const value = memory === "count" ? changes : numberOf(series.value);
  append(series, { until: at, value, ...(lost > 0 ? { lost } : {}) }, memory, spec.lengthMs);
  series.value = next;
  series.at = at;
}

function numberOf(value: FactValue | null): number | null {
  return typeof value === "number" ? value : null;
}

/** Adds the newest piece, joins pieces that need not be distinguished, and drops what has left the window. */
function append(series: WindowSeries, piece: WindowPiece, memory: Memory, lengthMs: Millis): void {
  const pieces = [...series.pieces];
  const sliceMs = lengthMs / SLICES_PER_WINDOW;
  let newest = piece;
  for (;;) {
    const last = pieces.at(-1);
    if (last === undefined) break;
    const start = pieces.at(-2)?.until ?? series.from;
    if (!canJoin(memory, start, last, newest, sliceMs)) break;
    newest = join(memory, start, last, newest);
    pieces.pop();
  }
  pieces.push(newest);
  const gone = pieces.findIndex(({ until }) => until > piece.until - lengthMs);
  const [lastGone] = pieces.splice(0, gone < 0 ? pieces.length : gone).slice(-1);
  if (lastGone !== undefined) series.from = lastGone.until;
  series.pieces = pieces;
}

function canJoin(
  memory: Memory,
  start: Instant,
  earlier: WindowPiece,
  later: WindowPiece,
  sliceMs: Millis,
): boolean {
  const sliceOf = (at: Instant): number => Math.floor(at / sliceMs);
  // If a piece's place in time matters, only what lies within one slice as a whole is joined.
  if (memory === "avg" || memory === "past") return sliceOf(start) === sliceOf(later.until);
  if (sliceOf(earlier.until) === sliceOf(later.until)) return true;
  // A lower value that leaves the window earlier is never the highest again.
  if (memory === "count" || earlier.lost !== undefined || later.lost !== undefined) return false;
  if (earlier.value === null || later.value === null) return false;
  return memory === "max" ? later.value >= earlier.value : later.value <= earlier.value;
}

function join(
  memory: Memory,
  start: Instant,
  earlier: WindowPiece,
  later: WindowPiece,
): WindowPiece {
  const lost = (earlier.lost ?? 0) + (later.lost ?? 0);
  const value = joinValues(memory, start, earlier, later);
  return { until: later.until, value, ...(lost > 0 ? { lost } : {}) };
}

function joinValues(
  memory: Memory,
  start: Instant,
  earlier: WindowPiece,
  later: WindowPiece,
): number | null {
  if (earlier.value === null || later.value === null) return earlier.value ?? later.value;
  if (memory === "max") return Math.max(earlier.value, later.value);
  if (memory === "min") return Math.min(earlier.value, later.value);
  if (memory === "count") return earlier.value + later.value;
  if (memory === "past") return earlier.value;
  const before = earlier.until - start - (earlier.lost ?? 0);
  const after = later.until - earlier.until - (later.lost ?? 0);
  if (before + after <= 0) return later.value;
  return (earlier.value * before + later.value * after) / (before + after);
}
