/** What a timeline shows of all that could be shown, as instants in milliseconds. */
export type Span = { readonly from: number; readonly until: number };

const SHORTEST = 1_000;
/** How much of the span one key press moves it. */
const STEP = 0.2;
const ZOOM = 2;

/** Whether an instant is in the span, its ends included. */
export function isIn(at: number, { from, until }: Span): boolean {
  return at >= from && at <= until;
}

/** Whether what lasts, since or until whenever, is partly in the span. */
export function touches(
  { from = -Infinity, until = Infinity }: Readonly<Record<keyof Span, number | undefined>>,
  span: Span,
): boolean {
  return from <= span.until && until >= span.from;
}

/** The same span within the limits: as long as it was, if there is room. */
export function within({ from, until }: Span, limits: Span): Span {
  const room = Math.max(SHORTEST, limits.until - limits.from);
  const length = Math.min(room, Math.max(SHORTEST, until - from));
  const begin = Math.min(limits.until - length, Math.max(limits.from, from));
  return { from: Math.round(begin), until: Math.round(begin + length) };
}

/** Moved by so many milliseconds, positive towards the present. */
export function moved({ from, until }: Span, by: number, limits: Span): Span {
  return within({ from: from + by, until: until + by }, limits);
}

/** Longer by a factor over 1, shorter by one under 1; the instant that it is zoomed around stays where it is. */
export function zoomed(
  { from, until }: Span,
  factor: number,
  limits: Span,
  around = (from + until) / 2,
): Span {
  const length = Math.max(SHORTEST, (until - from) * factor);
  const part = (around - from) / Math.max(1, until - from);
  const begin = around - part * length;
  return within({ from: begin, until: begin + length }, limits);
}

/** Where a key leads; undefined if it is not one for this. */
export function byKey(key: string, span: Span, limits: Span): Span | undefined {
  const length = span.until - span.from;
  switch (key) {
    case "ArrowLeft":
      return moved(span, -length * STEP, limits);
    case "ArrowRight":
      return moved(span, length * STEP, limits);
    case "PageUp":
      return moved(span, -length, limits);
    case "PageDown":
      return moved(span, length, limits);
    case "Home":
      return within({ from: limits.from, until: limits.from + length }, limits);
    case "End":
      return within({ from: limits.until - length, until: limits.until }, limits);
    case "+":
    case "=":
      return zoomed(span, 1 / ZOOM, limits);
    case "-":
      return zoomed(span, ZOOM, limits);
    default:
      return undefined;
  }
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/**
 * The span that an address names, as `from` and `until`, or by how long it is, up to now, as `last`; undefined if it
 * names none, or none that is one.
 */
export function spanOf(filters: Readonly<Record<string, string>>, now: number): Span | undefined {
  const [, count, unit] = /^([1-9]\d{0,9})(ms|[smhd])$/.exec(filters["last"] ?? "") ?? [];
  const size = UNITS.find(([name]) => name === unit)?.[1];
  if (size !== undefined) return { from: Math.max(0, now - Number(count) * size), until: now };
  const [from, until] = [filters["from"], filters["until"]].map((text) => Date.parse(text ?? ""));
  if (from === undefined || until === undefined || !(from < until)) return undefined;
  return { from, until };
}

/** The inverse: what is to stand in the address. What is up to now goes on with the time. */
export function filtersOf(span: Span, now: number) {
  const { from, until } = span;
  if (until >= now) return { from: "", until: "", last: lengthOf(until - from) };
  return { from: new Date(from).toISOString(), until: new Date(until).toISOString(), last: "" };
}

/** In the largest unit of which it is a multiple. */
function lengthOf(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, one]) => milliseconds % one === 0) ?? ["ms", 1];
  return `${milliseconds / size}${unit}`;
}
