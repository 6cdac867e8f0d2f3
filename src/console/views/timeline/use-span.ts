import { useEffect, useRef, useState } from "preact/hooks";
import { filtered } from "../../address.ts";
import { now, view } from "../../data/store.ts";
import { byKey, filtersOf, moved, spanOf, zoomed, type Span } from "../../text/span.ts";

/** So long after the last change, the address names what is shown: browsers allow only so many changes of it. */
const SETTLES_AFTER_MS = 300;

/**
 * The span that is shown, as the address names it, so that a view is a link; undefined is all there is. One that is
 * chosen up to the end of the limits stays there.
 */
export function useSpan(): readonly [Span | undefined, (span: Span, limits: Span) => void] {
  const [wanted, want] = useState(() => spanFilters(view.value.filters));
  const [there, chosen] = [textOf(spanFilters(view.value.filters)), textOf(wanted)];
  /** What the address says, or will say in a moment, by this own hand. */
  const written = useRef(there);
  // Somebody else changed the address: a link, a step back, or that all filters were cleared.
  useEffect(() => {
    if (there === written.current) return;
    written.current = there;
    want(spanFilters(view.value.filters));
  }, [there]);
  useEffect(() => {
    if (chosen === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = chosen;
      location.replace(filtered(view.value, wanted));
    }, SETTLES_AFTER_MS);
    return () => clearTimeout(timer);
  }, [chosen]);
  return [spanOf(wanted, now.value), (span, limits) => want(filtersOf(span, limits.until))];
}

function spanFilters({ from = "", until = "", last = "" }: Readonly<Record<string, string>>) {
  return { from, until, last };
}

function textOf({ from, until, last }: ReturnType<typeof spanFilters>): string {
  return `${from} ${until} ${last}`;
}

type Pointers = Map<number, number>;

/**
 * Moves and zooms the span: by dragging, two fingers, the wheel with Ctrl (as a touchpad's pinch arrives), and keys.
 * `names` is the part of the drawing that is left of the span.
 */
export function useMoving(properties: {
  readonly span: Span;
  readonly limits: Span;
  readonly names: number;
  readonly onSpan: (span: Span) => void;
}) {
  const { span, limits, names, onSpan } = properties;
  const pointers = useRef<Pointers>(new Map());
  /** How many milliseconds a pixel is, and the instant under it. */
  const scaleOf = (element: Element) => {
    const { left, width } = element.getBoundingClientRect();
    const perPixel = (span.until - span.from) / Math.max(1, width * (1 - names));
    return { perPixel, at: (x: number) => span.from + (x - left - width * names) * perPixel };
  };
  const drop = ({ pointerId }: PointerEvent): void => void pointers.current.delete(pointerId);
  return {
    onPointerDown: ({ pointerId, clientX }: PointerEvent): void =>
      void pointers.current.set(pointerId, clientX),
    onPointerMove: ({ currentTarget, pointerId, clientX }: PointerEvent): void => {
      const before = pointers.current.get(pointerId);
      if (before === undefined) return;
      const { perPixel, at } = scaleOf(currentTarget as Element);
      const other = otherOf(pointers.current, pointerId);
      pointers.current.set(pointerId, clientX);
      if (other === undefined) return onSpan(moved(span, (before - clientX) * perPixel, limits));
      const apart = Math.abs(clientX - other);
      if (apart > 0) onSpan(zoomed(span, Math.abs(before - other) / apart, limits, at(other)));
    },
    onPointerUp: drop,
    onPointerCancel: drop,
    onPointerLeave: drop,
    onWheel: (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const { at } = scaleOf(event.currentTarget as Element);
      onSpan(zoomed(span, Math.exp(event.deltaY / 200), limits, at(event.clientX)));
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const to = event.ctrlKey || event.metaKey ? undefined : byKey(event.key, span, limits);
      if (to === undefined) return;
      event.preventDefault();
      onSpan(to);
    },
  };
}

/** Where the second finger is. */
function otherOf(pointers: Pointers, pointerId: number): number | undefined {
  return [...pointers].find(([id]) => id !== pointerId)?.[1];
}

/** All that can be shown: what is kept, and at least so much, but nothing that is yet to come. */
export function limitsOf({ from, until }: Span, least: number): Span {
  return { from: Math.min(from, until - least), until };
}
