import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { Slices } from "../../domain/slices.ts";
import type { Millis } from "../../domain/time.ts";

/** How long work runs before it yields to the event loop. */
const SLICE: Millis = 4;

/** Splits long work into slices, between which the event loop turns. */
export type TimeSlice = {
  /** A slice begins now. */
  readonly begin: () => void;
  readonly isOver: () => boolean;
  /** Yields to the event loop: resolves in the next slice, after everything else that was ready. */
  readonly next: () => Promise<void>;
};

/** `idle` resolves when nothing is changing the data that the work reads. */
export function createTimeSlice(idle: () => Promise<void> = () => Promise.resolve()): TimeSlice {
  let began = performance.now();
  const begin = (): void => {
    began = performance.now();
  };
  return {
    begin,
    isOver: () => performance.now() - began > SLICE,
    next: async () => {
      await setImmediate();
      await idle();
      begin();
    },
  };
}

type Slicing = Pick<TimeSlice, "isOver" | "next">;

/** Does long work to its end, and lets the event loop turn between slices. */
export async function inSlices<Value>(work: Slices<Value>, slice: Slicing): Promise<Value> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (slice.isOver()) await slice.next();
  }
}

/** The same; undefined if its result was not wanted any more after one of the slices. */
export async function inSlicesWhile<Value>(
  isWanted: () => boolean,
  work: Slices<Value>,
  slice: Slicing,
): Promise<Value | undefined> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (!slice.isOver()) continue;
    await slice.next();
    if (isWanted()) continue;
    // So that the work learns that it has ended.
    work.return(undefined as never);
    return undefined;
  }
}
