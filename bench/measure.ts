import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * How things are measured: ours and the baseline take turns in one run, after a warm-up of both, so
 * that whatever else the machine does falls on both alike. What is compared is the median round.
 */
export type Rounds = { readonly warmUps: number; readonly rounds: number };

export type Compared = {
  readonly oursMs: number;
  readonly baselineMs: number;
  /** How many times as long as the baseline ours took. */
  readonly ratio: number;
};

type Timed = () => void | Promise<void>;

/** The median round of both. `prepare` runs before each round, and is not counted. */
export async function compare(
  { warmUps, rounds }: Rounds,
  work: { readonly prepare?: () => void; readonly ours: Timed; readonly baseline: Timed },
): Promise<Compared> {
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    work.prepare?.();
    const oursMs = await timed(work.ours);
    const baselineMs = await timed(work.baseline);
    if (round < 0) continue;
    ours.push(oursMs);
    baseline.push(baselineMs);
  }
  const [oursMs, baselineMs] = [median(ours), median(baseline)];
  return { oursMs, baselineMs, ratio: oursMs / baselineMs };
}

async function timed(work: Timed): Promise<number> {
  const from = performance.now();
  const pending = work();
  // A synchronous measurement must not also measure a turn of the microtask queue.
  if (pending instanceof Promise) await pending;
  return performance.now() - from;
}

/** The middle one; of an even number, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}

/** The longest time for which the event loop could not turn while the work was done. */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let next: NodeJS.Immediate;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  await work();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  clearImmediate(next);
  return longest;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Heap that is in use after a full collection, in bytes. */
export function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
