import type { Slices } from "../domain/slices.ts";
import type { TimeSlice } from "../io/process/time-slice.ts";

/** One piece of work after another, in slices between which the event loop turns. */
export type SlicedWork = {
  /** There is more to do: begins at once, and goes on later if that takes longer than a slice. */
  readonly start: () => void;
  /** Does all that there is at once; nothing while a slice is under way. */
  readonly finish: () => void;
  /** A slice is under way: whoever asks was called by it. */
  readonly isRunning: () => boolean;
  /** A piece of work has begun and not ended. */
  readonly isBusy: () => boolean;
  /** Resolves when nothing is left to do. */
  readonly idle: () => Promise<void>;
};

/** Without a slice, everything is done at once. `next` begins the next piece of work, which must not throw. */
export function createSlicedWork(
  next: () => Slices | undefined,
  slice: TimeSlice | undefined,
): SlicedWork {
  let current: Slices | undefined;
  let isRunning = false;
  let isResuming = false;
  let idle: PromiseWithResolvers<void> | undefined;

  function run(isOver: () => boolean): void {
    if (isRunning) return;
    isRunning = true;
    try {
      for (current ??= next(); current !== undefined; current = next()) {
        while (current.next().done !== true) if (isOver()) return void resume();
      }
    } finally {
      isRunning = false;
    }
    idle?.resolve();
    idle = undefined;
  }

  async function resume(): Promise<void> {
    if (slice === undefined || isResuming) return;
    isResuming = true;
    await slice.next();
    isResuming = false;
    run(slice.isOver);
  }

  const finish = (): void => run(() => false);
  return {
    start: () => {
      if (slice === undefined) return finish();
      if (isResuming) return;
      slice.begin();
      run(slice.isOver);
    },
    finish,
    isRunning: () => isRunning,
    isBusy: () => current !== undefined,
    idle: () => {
      if (current === undefined) return Promise.resolve();
      idle ??= Promise.withResolvers();
      return idle.promise;
    },
  };
}
