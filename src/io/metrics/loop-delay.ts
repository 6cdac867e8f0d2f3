import { monitorEventLoopDelay } from "node:perf_hooks";
import { familyText } from "./client-families.ts";
import type { LoopDelayMetric } from "./definition.ts";
import type { Format } from "./text-format.ts";

/**
 * How long the event loop was held up. A scrape must reset Node's own histogram, which takes the delays away from the
 * next scraper. So its values are added to buckets that only grow, and all scrapers see the same.
 */
export const LOOP_DELAY: LoopDelayMetric = {
  name: "aggwatch_event_loop_delay_seconds",
  help: "How late the event loop came to a timer that is due every 10 ms; a blocked loop is one long delay.",
  type: "histogram",
  labels: [],
  from: "loop-delay",
};

const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Milliseconds between two timers of the monitor; Node's values include them. */
const RESOLUTION = 10;
const NANOSECONDS = 1e9;

let shared: ReturnType<typeof countLoopDelay> | undefined;

/** The process has one event loop, so all watchdogs of a process share this. */
export function loopDelay() {
  if (shared === undefined) {
    const monitor = monitorEventLoopDelay({ resolution: RESOLUTION });
    monitor.enable();
    shared = countLoopDelay(monitor);
  }
  return shared;
}

type Monitor = Pick<
  ReturnType<typeof monitorEventLoopDelay>,
  "count" | "mean" | "max" | "min" | "percentile" | "reset"
>;

/** Keeps the values that a histogram of nanoseconds had before each reset. */
export function countLoopDelay(monitor: Monitor) {
  const counts = BUCKETS.map(() => 0);
  let count = 0;
  let sum = 0;
  const drain = (): void => {
    if (monitor.count === 0) return;
    for (const [index, bound] of BUCKETS.entries()) {
      counts[index] = (counts[index] ?? 0) + countUpTo(monitor, bound * NANOSECONDS + LATE);
    }
    count += monitor.count;
    sum += (Math.max(0, monitor.mean - LATE) * monitor.count) / NANOSECONDS;
    monitor.reset();
  };
  return {
    text: (format: Format): string => {
      drain();
      const { name } = LOOP_DELAY;
      const bounds = [...BUCKETS.entries(), [BUCKETS.length, Infinity] as const];
      const buckets = bounds.map(([index, le]) => ({
        metricName: `${name}_bucket`,
        labels: { le },
        value: counts[index] ?? count,
      }));
      const totals = [
        { metricName: `${name}_sum`, labels: {}, value: sum },
        { metricName: `${name}_count`, labels: {}, value: count },
      ];
      return familyText({ ...LOOP_DELAY, values: [...buckets, ...totals] }, format);
    },
  };
}

/** The value of a timer that is not late at all, in nanoseconds. */
const LATE = (RESOLUTION / 1_000) * NANOSECONDS;

/** How many values are at most so large: a binary search, because the histogram gives values only by rank. */
function countUpTo(monitor: Monitor, most: number): number {
  if (monitor.max <= most) return monitor.count;
  if (monitor.min > most) return 0;
  let low = 0;
  let high = monitor.count;
  while (low < high) {
    const rank = Math.ceil((low + high) / 2);
    if (monitor.percentile((rank / monitor.count) * 100) <= most) low = rank;
    else high = rank - 1;
  }
  return low;
}
