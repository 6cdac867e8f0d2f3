import { setTimeout as pause } from "node:timers/promises";
import { workerData, type Worker } from "node:worker_threads";

/**
 * Ends threads that may be inflating. Node aborts the whole process if a thread is terminated between the making of a
 * zlib handle and its `init` (`close before init`, node_zlib.cc of Node 24). So the thread holds a lock meanwhile, which
 * whoever ends it takes first.
 */

/** A lock in shared memory: to be given to the thread as its `workerData`. */
export type ThreadEnd = { readonly threadEnd: Int32Array };

const FREE = 0;
const INFLATING = 1;
const ENDING = 2;

/** How often the lock is tried, a millisecond apart; a thread that died in between never gives it back. */
const TRIES = 2_000;

export function createThreadEnd(): ThreadEnd {
  return { threadEnd: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}

/** Terminates a thread, but not while it inflates. */
export async function endThread(thread: Worker, { threadEnd }: ThreadEnd): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (Atomics.compareExchange(threadEnd, 0, FREE, ENDING) !== INFLATING) break;
    await pause(1);
  }
  await thread.terminate();
}

/** Runs what makes a zlib handle; in a thread that is about to end, waits for that end instead. */
export function inflating<Value>(inflate: () => Value): Value {
  const lock = lockOf(workerData);
  if (lock === undefined) return inflate();
  // `terminate` ends the wait.
  if (Atomics.compareExchange(lock, 0, FREE, INFLATING) === ENDING) Atomics.wait(lock, 0, ENDING);
  try {
    return inflate();
  } finally {
    Atomics.store(lock, 0, FREE);
  }
}

function lockOf(data: unknown): Int32Array | undefined {
  if (typeof data !== "object" || data === null || !("threadEnd" in data)) return undefined;
  return data.threadEnd instanceof Int32Array ? data.threadEnd : undefined;
}
