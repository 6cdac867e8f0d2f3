import type { Slices } from "../domain/slices.ts";
import type { Event } from "../domain/step.ts";
import type { TimeSlice } from "../io/process/time-slice.ts";

/** One piece of work after another, in slices between which the event loop turns. */
export type SlicedWork = {
  /** There is more to do: begins at once, and goes on later if that takes longer than a slice. */
  readonly start: () => void;
  /** Does all that there is at once; nothing while a slice is under way. */
  readonly finish: () => void;
  /** The same for the piece of work that has begun: what waits behind it keeps its slices. */
  readonly finishCurrent: () => void;
  /** The same for the next piece of work, which may not have begun. */
  readonly finishNext: () => void;
  /** A slice is under way, so the caller runs within it. */
  readonly isRunning: () => boolean;
  /** A piece of work has begun and not ended. */
  readonly isBusy: () => boolean;
  /** Resolves when no piece of work is under way: now, or before the next one begins. */
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

  /** Without `isOver`, at once; what is `current` alone, or all. */
  function run(what: "current" | "all", isOver?: () => boolean): void {
    if (isRunning) return;
    isRunning = true;
    try {
      for (current ??= next(); current !== undefined; current = next()) {
        while (current.next().done !== true) if (isOver?.() === true) return void resume();
        const othersWait = idle !== undefined && isOver !== undefined;
        if (what === "all" && !othersWait) continue;
        // Callers that wait get their turn, however much there is left to do.
        current = undefined;
        release();
        return void resume();
      }
    } finally {
      isRunning = false;
    }
    release();
  }

  function release(): void {
    idle?.resolve();
    idle = undefined;
  }

  async function resume(): Promise<void> {
    if (slice === undefined || isResuming) return;
    isResuming = true;
    await slice.next();
    isResuming = false;
    run("all", slice.isOver);
  }

  return {
    start: () => {
      if (slice === undefined) return run("all");
      if (isResuming) return;
      slice.begin();
      run("all", slice.isOver);
    },
    finish: () => run("all"),
    finishCurrent: () => {
      if (current !== undefined) run("current");
    },
    finishNext: () => run("current"),
    isRunning: () => isRunning,
    isBusy: () => current !== undefined,
    idle: () =>
      current === undefined ? Promise.resolve() : (idle ??= Promise.withResolvers()).promise,
  };
}

/** Does it now, or as soon as no piece of work is under way: never in the middle of one. */
export function whenIdle(
  { isBusy, idle }: Pick<SlicedWork, "isBusy" | "idle">,
  work: () => void,
): void {
  if (isBusy()) void idle().then(work);
  else work();
}

/**
 * Lets the tick of each second into the loop. A tick waits for the end of a long event, and several ticks that wait
 * become one. Even if many long events follow each other, ticks get their turn between them, and the kill file is
 * looked for between any two.
 */
export function createTicker(
  loop: Pick<SlicedWork, "isBusy" | "idle"> & { readonly push: (event: Event) => void },
  beforeTick: () => void,
): () => void {
  let isWaiting = false;
  const tick = (): void => {
    beforeTick();
    loop.push({ type: "tick" });
  };
  const tickLater = async (): Promise<void> => {
    isWaiting = true;
    await loop.idle();
    isWaiting = false;
    tick();
  };
  return () => {
    if (!loop.isBusy()) tick();
    else if (!isWaiting) void tickLater();
  };
}
