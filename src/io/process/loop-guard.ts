import { Worker } from "node:worker_threads";
import { SECOND, type Millis } from "../../domain/time.ts";

/**
 * Ends the process if the loop stands still. The guard is a thread of its own, because a blocked event loop cannot
 * check itself: `guardLoop` (loop-guard-thread.ts) runs there, and this is the main thread's side.
 */
export type LoopGuard = {
  /** Notes that a tick has gone through the loop, with its commit. */
  readonly beat: () => void;
  /** From now on the loop may stand still: the process is ending. */
  readonly stop: () => Promise<void>;
};

export type LoopGuardOptions = {
  /** The module that the thread runs; it must call `guardLoop`. */
  readonly entry: URL;
  /** How long the loop may stand still. */
  readonly stuckAfterMs: Millis;
  /** The file descriptor and the format of the log, for the last line. */
  readonly last: LastLine;
};

export type LastLine = { readonly descriptor: number; readonly format: "json" | "text" };

/** The places of the shared whole numbers: two that only grow, and a flag. */
export const SHARED = { ticks: 0, turns: 1, stopped: 2 } as const;

export type GuardData = {
  readonly shared: Int32Array<SharedArrayBuffer>;
  readonly stuckAfterMs: Millis;
  readonly last: LastLine;
};

/** The thread needs hardly any memory; without a limit it would take as much as the main thread. */
const MEMORY = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };

/** Guards from the first beat on: until then, a start may take as long as it takes. */
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
