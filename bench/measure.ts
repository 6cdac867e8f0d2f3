import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * How things are measured: ours and the baseline take turns in one run, after a warm-up of both, so
 * that whatever else the machine does falls on both alike. What is compared is the median turn.
 */
export type Rounds = { readonly warmUps: number; readonly rounds: number };

export type Compared = {
  readonly oursMs: number;
  readonly baselineMs: number;
  /** How many times as long as the baseline ours took: the median of the turns' own ratios. */
  readonly ratio: number;
};

export type Work = {
  /** Runs before each turn, and is not counted. */
  readonly prepare?: () => void;
  readonly ours: () => void | Promise<void>;
  readonly baseline: () => void | Promise<void>;
  /** How many turns make a round; short work needs many. */
  readonly turns?: number;
};

/** The median turn of both. */
export async function compare({ warmUps, rounds }: Rounds, work: Work): Promise<Compared> {
  const { turns = 1 } = work;
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let turn = -warmUps * turns; turn < rounds * turns; turn += 1) {
    work.prepare?.();
    // Who comes second finds caches warm, and a disk awake: a tenth of a short commit.
    const isOursFirst = turn % 2 === 0;
    const early = isOursFirst ? undefined : await timed(work.baseline);
    const oursMs = await timed(work.ours);
    const baselineMs = early ?? (await timed(work.baseline));
    if (turn < 0) continue;
    ours.push(oursMs);
    baseline.push(baselineMs);
  }
  return {
    oursMs: median(ours),
    baselineMs: median(baseline),
    ratio: medianRatio(ours, baseline),
  };
}

async function timed(work: Work["ours"]): Promise<number> {
  const from = performance.now();
  const pending = work();
  // What is synchronous is not charged with a turn of the microtask queue.
  if (pending instanceof Promise) await pending;
  return performance.now() - from;
}

/** The median of the ratios of what was measured side by side. */
export function medianRatio(ours: readonly number[], baseline: readonly number[]): number {
  return median(ours.map((value, index) => value / (baseline[index] ?? Number.NaN)));
}

/** The middle one; of an even number, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}

/** The longest time for which the event loop could not turn while the work was done. */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  return (await longestBlocks(work)).wallMs;
}

/** The same, and the longest in processor time of the thread, to which other work on the machine does not count. */
export async function longestBlocks(
  work: () => Promise<unknown>,
): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  const longest = { wallMs: 0, cpuMs: 0 };
  let last = readClocks();
  let next: NodeJS.Immediate;
  const turn = (): void => {
    const now = readClocks();
    longest.wallMs = Math.max(longest.wallMs, now.wallMs - last.wallMs);
    longest.cpuMs = Math.max(longest.cpuMs, now.cpuMs - last.cpuMs);
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

function readClocks(): { readonly wallMs: number; readonly cpuMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Heap that is in use after a full collection, in bytes. */
export function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
