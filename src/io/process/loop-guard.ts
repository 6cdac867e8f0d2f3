import { Worker } from "node:worker_threads";
import { SECOND, type Millis } from "../../domain/time.ts";

/**
 * Ends the process if the loop stands still. The guard is a thread of its own, as a blocked event loop cannot
 * check itself: `guardLoop` (loop-guard-thread.ts) runs there, and this is its other side.
 */
export type LoopGuard = {
  /** A tick has gone through the loop, commit and all. */
  readonly beat: () => void;
  /** From now on it may stand still: the process is ending. */
  readonly stop: () => Promise<void>;
};

export type LoopGuardOptions = {
  /** What the thread runs; it is to call `guardLoop`. */
  readonly entry: URL;
  /** The loop may stand still for so long. */
  readonly stuckAfterMs: Millis;
  /** Of the last line: the file descriptor of the log, and its format. */
  readonly last: LastLine;
};

export type LastLine = { readonly descriptor: number; readonly format: "json" | "text" };

/** What the two threads share: whole numbers that only grow, and one flag. */
export const SHARED = { ticks: 0, turns: 1, stopped: 2 } as const;

export type GuardData = {
  readonly shared: Int32Array<SharedArrayBuffer>;
  readonly stuckAfterMs: Millis;
  readonly last: LastLine;
};

/** The thread needs hardly any memory; without a bound it would take what the main one does. */
const MEMORY = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };

/** It guards from the first beat on: until then, a start may take as long as it takes. */
export function startLoopGuard({ entry, stuckAfterMs, last }: LoopGuardOptions): LoopGuard {
  const counts = Object.keys(SHARED).length;
  const shared = new Int32Array(new SharedArrayBuffer(counts * Int32Array.BYTES_PER_ELEMENT));
  const workerData: GuardData = { shared, stuckAfterMs, last };
  let worker: Worker | undefined;
  const turning = setInterval(() => Atomics.add(shared, SHARED.turns, 1), SECOND / 2);
  turning.unref();
  return {
    beat: () => {
      Atomics.add(shared, SHARED.ticks, 1);
      if (worker !== undefined || Atomics.load(shared, SHARED.stopped) === 1) return;
      worker = new Worker(entry, { workerData, resourceLimits: MEMORY, argv: [], env: {} });
      worker.unref();
    },
    stop: async () => {
      Atomics.store(shared, SHARED.stopped, 1);
      clearInterval(turning);
      await worker?.terminate();
    },
  };
}
