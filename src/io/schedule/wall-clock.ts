import { SECOND } from "../../domain/time.ts";

/**
 * Calls when the wall clock was set back by more than a second, until it is ended. Schedules need that: a timer for an
 * instant would otherwise wait until that instant comes again.
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
