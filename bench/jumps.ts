import { schedule } from "node-cron";
import { DAY, formatDuration, HOUR, SECOND, type Millis } from "../src/domain/time.ts";
import { createScheduler } from "../src/io/schedule/scheduler.ts";
import { longestBlockMs } from "./measure.ts";
import { milliseconds, type Row } from "./table.ts";

export const JUMPS: readonly Millis[] = [HOUR, 3 * DAY, 400 * DAY, -DAY];

/** As many as a large deployment has: nine pollers of ten aggregators. */
const SCHEDULES = 90;

/** node-cron's own timer takes seconds a day, so that for a longer jump it is measured with this one. */
const LONGEST_BASELINE: Millis = 6 * HOUR;

/** Long enough that each schedule of a second fires after the jump. */
const WATCHED_FOR: Millis = 2.5 * SECOND;

/**
 * The longest time for which a jump of the wall clock blocks the event loop: ours with many schedules of a second, and
 * node-cron's own timer with one.
 */
export async function benchJumps(jumps: readonly Millis[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const jumpMs of jumps) {
    const baselineJump = Math.min(jumpMs, LONGEST_BASELINE);
    const ours = await blockBy(jumpMs, startOurs);
    const baseline = await blockBy(baselineJump, startNodeCron);
    const how = jumpMs < 0 ? "back by" : "forward by";
    rows.push({
      name: `jumps: longest block, ${how} ${formatDuration(Math.abs(jumpMs))}`,
      size: SCHEDULES,
      ours: milliseconds(ours),
      baseline: milliseconds(baseline),
      ratio: ours / baseline,
      note: `baseline: node-cron's own timer, one schedule${baselineJump === jumpMs ? "" : `, ${formatDuration(baselineJump)}`}`,
    });
  }
  return rows;
}

/** What runs on schedules, and what ends it. */
type Start = () => () => unknown;

async function blockBy(jumpMs: Millis, start: Start): Promise<Millis> {
  const RealDate = Date;
  const end = start();
  await passes(WATCHED_FOR);
  try {
    return await longestBlockMs(async () => {
      globalThis.Date = shifted(RealDate, jumpMs);
      await passes(WATCHED_FOR);
    });
  } finally {
    globalThis.Date = RealDate;
    await end();
  }
}

function shifted(Real: DateConstructor, byMs: Millis): DateConstructor {
  const Shifted = class extends Real {
    constructor(...given: readonly unknown[]) {
      if (given.length === 0) super(Real.now() + byMs);
      else super(...(given as [number]));
    }
    static override now(): number {
      return Real.now() + byMs;
    }
  };
  return Shifted as DateConstructor;
}

function startOurs(): () => unknown {
  const scheduler = createScheduler({
    schedules: Array.from({ length: SCHEDULES }, (_, index) => ({
      aggregator: "bsc",
      poller: `poller-${index}`,
      cron: "* * * * * *",
    })),
    run: () => Promise.resolve("complete"),
    clock: { now: () => Date.now() },
    log: { error: () => undefined },
  });
  scheduler.start();
  return () => scheduler.stop(SECOND);
}

function startNodeCron(): () => unknown {
  const task = schedule("* * * * * *", () => undefined, {
    timezone: "Etc/UTC",
    suppressMissedWarning: true,
  });
  return () => task.destroy();
}

async function passes(lengthMs: Millis): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, lengthMs);
  });
}
