import { useEffect } from "preact/hooks";
import { viewOf } from "../address.ts";

/** Where each view was scrolled to, by its entry in the browser's history: a step back leads to the same rows. */
const places = new Map<number, number>();

/** A new view begins at its top; one that a person comes back to, where it was left, as soon as it is drawn. */
export function useScrolled(): void {
  useEffect(() => {
    history.scrollRestoration = "manual";
    let entry = entryNow() ?? enter();
    let path = pathNow();
    let drawn: ResizeObserver | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = (): void => {
      clearTimeout(timer);
      drawn?.disconnect();
      drawn = undefined;
    };
    const restore = (to: number): void => {
      const tryIt = (): void => {
        scrollTo({ top: to, behavior: "instant" });
        if (scrollY >= to) stop();
      };
      drawn = new ResizeObserver(tryIt);
      drawn.observe(document.body);
      timer = setTimeout(stop, LONGEST_MS);
      tryIt();
    };
    const onScroll = (): void => {
      // Scrolling by this code is not a position to remember.
      if (drawn === undefined && entryNow() === entry) places.set(entry, scrollY);
    };
    const onMove = (): void => {
      stop();
      const known = entryNow();
      const isSame = path === pathNow();
      path = pathNow();
      entry = known ?? enter();
      if (known !== undefined) restore(places.get(known) ?? 0);
      // Another filter, span or instant of the same view.
      else if (!isSame) scrollTo({ top: 0, behavior: "instant" });
    };
    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("hashchange", onMove);
    // A person who scrolls meanwhile must not be pulled back.
    for (const type of MOVES) addEventListener(type, stop, { passive: true });
    return () => {
      stop();
      removeEventListener("scroll", onScroll);
      removeEventListener("hashchange", onMove);
      for (const type of MOVES) removeEventListener(type, stop);
    };
  }, []);
}

/** A list may have become shorter since. */
const LONGEST_MS = 5_000;

const MOVES = ["wheel", "pointerdown", "keydown"] as const;

function entryNow(): number | undefined {
  return (history.state as { readonly entry?: number } | null)?.entry;
}

/** Gives the entry that is shown a number of its own. */
function enter(): number {
  const entry = performance.timeOrigin + performance.now();
  history.replaceState({ entry }, "");
  return entry;
}

function pathNow(): string {
  return viewOf(location.hash).path.join("/");
}
