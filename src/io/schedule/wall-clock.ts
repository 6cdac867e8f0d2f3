import { SECOND } from "../../domain/time.ts";

/**
 * Tells when the wall clock was set back by more than a second, until it is ended. Schedules need that: what waits for an instant would else wait until it comes once more.
 */
export function watchWallClock(onBack: () => void): { readonly end: () => void } {
  let seen = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    const isBack = now < seen;
    seen = now;
    if (isBack) onBack();
  }, SECOND);
  timer.unref();
  return { end: () => clearInterval(timer) };
}
