import { setTimeout as pause } from "node:timers/promises";
import { Worker, workerData, type ResourceLimits } from "node:worker_threads";
import { threadEnvironment } from "./thread-environment.ts";

/**
 * Threads that use zlib, and can be ended at any moment. Node aborts the whole process if a thread is terminated between
 * the making of a zlib handle and its `init` (`close before init`, node_zlib.cc of Node 24). So the thread holds a lock
 * meanwhile, and whoever ends it takes the lock first. Other threads make no such handle: a process may exit at any time.
 */
export type EndableThread = { readonly worker: Worker; readonly end: () => Promise<void> };

/** What the lock in shared memory says. */
const FREE = 0;
const IN_ZLIB = 1;
const ENDING = 2;

/** How often the lock is tried, a millisecond apart; a thread that died in between never gives it back. */
const TRIES = 2_000;

const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

type ThreadOptions = {
  /** What its `workerData` has beside the lock. */
  readonly data?: object;
  readonly memory?: ResourceLimits;
};

/** Begins a thread, which keeps no process alive. */
export function beginThread(
  entry: URL,
  { data, memory = MEMORY }: ThreadOptions = {},
): EndableThread {
  const lock = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(entry, {
    workerData: { ...data, lock },
    resourceLimits: memory,
    argv: [],
    env: threadEnvironment(),
  });
  worker.unref();
  return {
    worker,
    end: async () => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (Atomics.compareExchange(lock, 0, FREE, ENDING) !== IN_ZLIB) break;
        await pause(1);
      }
      await worker.terminate();
    },
  };
}

/** Runs what makes a zlib handle. In a thread that is about to be ended, waits for that instead. */
export function usingZlib<Value>(work: () => Value): Value {
  const lock = lockIn(workerData);
  if (lock === undefined) return work();
  // `terminate` ends the wait.
  if (Atomics.compareExchange(lock, 0, FREE, IN_ZLIB) === ENDING) Atomics.wait(lock, 0, ENDING);
  try {
    return work();
  } finally {
    Atomics.store(lock, 0, FREE);
  }
}

/** Undefined in the main thread, and in threads that end by themselves. */
function lockIn(data: unknown): Int32Array | undefined {
  if (typeof data !== "object" || data === null || !("lock" in data)) return undefined;
  return data.lock instanceof Int32Array ? data.lock : undefined;
}
