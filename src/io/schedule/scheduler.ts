import type { PollOutcome } from "../../domain/observation.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import { slotsToSkip, startOffsetMs } from "./back-off.ts";
import { longestIntervalMs } from "../../config/settings/cron-interval.ts";
import { pause } from "../process/pause.ts";
import { settleWithin } from "../process/settle-within.ts";
import type { SchedulerCounts } from "./slot-counts.ts";
import { newCounts } from "./slot-counts.ts";
import { createSlotTimer, type SlotTimer, type TimedSlots } from "./slot-timer.ts";

export type Schedule = {
  readonly aggregator: string;
  readonly poller: string;
  /** Six-field cron, in UTC. */
  readonly cron: string;
};

export type SchedulerLog = { readonly error: (message: string, error?: unknown) => void };

export type Scheduler = {
  readonly start: () => void;
  /** Polls now, without the poller's offset, unless that poll is running; at start, for the first readings. */
  readonly trigger: (aggregator: string, poller: string) => Promise<void>;
  /**
   * Replaces the schedules. A running poll goes on. A new schedule polls at once, and so does one that is more frequent
   * now, because the last reading may be too old for it; so does one that `again` names, after its running poll has
   * ended, and without back-off, unless the aggregator asked to wait.
   */
  readonly replace: (
    schedules: readonly Schedule[],
    again: (schedule: Schedule) => boolean,
  ) => void;
  /** Polls all now, such as after a gap: each after its running poll, and without back-off. */
  readonly pollAll: () => void;
  readonly counts: (aggregator: string, poller: string) => SchedulerCounts;
  /** Ends the schedules, and waits at most `graceMs` for running polls. True if all of them ended. */
  readonly stop: (graceMs: Millis) => Promise<boolean>;
};

export type SchedulerOptions = {
  readonly schedules: readonly Schedule[];
  /** Runs one poll; its outcome decides the back-off. A throw counts as a failed poll. */
  readonly run: (aggregator: string, poller: string, slot: Instant) => Promise<PollOutcome>;
  /** Slots are left out until this instant, as the aggregator asked. */
  readonly notBefore?: (aggregator: string, poller: string) => Instant | undefined;
  readonly clock: Clock;
  readonly log: SchedulerLog;
};

type Job = {
  schedule: Schedule;
  intervalMs: Millis;
  /** How long after a slot it polls. */
  readonly offsetMs: Millis;
  slots: TimedSlots | undefined;
  running: Promise<void> | undefined;
  failures: number;
  toSkip: number;
  counts: { -readonly [Count in keyof SchedulerCounts]: SchedulerCounts[Count] };
};

type Jobs = Map<string, Job>;
type OnSlot = (job: Job, slot: Instant) => Promise<void>;

/** Runs every poller of every aggregator at its slots; a poll never overlaps itself. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const jobs: Jobs = new Map();
  replaceJobs(jobs, options);
  const timer = createSlotTimer();
  const stopping = new AbortController();
  const jobOf = (aggregator: string, poller: string): Job => {
    const job = jobs.get(keyOf({ aggregator, poller }));
    if (job === undefined) throw new Error(`no schedule for ${aggregator}/${poller}`);
    return job;
  };
  const begin = (job: Job, slot: Instant, offsetMs = job.offsetMs): Promise<void> => {
    job.running = runOnce(job, slot, offsetMs, options, stopping.signal).finally(() => {
      job.running = undefined;
    });
    return job.running;
  };
  const onSlot = async (job: Job, slot: Instant): Promise<void> => {
    // By the daemon's clock, like the instant that it is compared with; the slot is by the wall clock.
    job.counts.firedAt = options.clock.now();
    // A schedule that just ended may still get its last slot.
    if (jobs.get(keyOf(job.schedule)) !== job) return;
    const skipped = skipReason(job, options);
    if (skipped === undefined) await begin(job, slot);
    else job.counts[skipped] += 1;
  };
  const pollAgain = async (job: Job): Promise<void> => {
    await job.running;
    Object.assign(job, { failures: 0, toSkip: 0 });
    const isStill = jobs.get(keyOf(job.schedule)) === job && !stopping.signal.aborted;
    if (isStill && job.running === undefined) await begin(job, options.clock.now());
  };
  const startSlots = (): void => {
    for (const job of jobs.values()) job.slots ??= startSlotsOf(job, timer, onSlot);
  };
  return {
    start: startSlots,
    trigger: async (aggregator, poller) => {
      const job = jobOf(aggregator, poller);
      await (job.running ?? begin(job, options.clock.now(), 0));
    },
    replace: (schedules, again) => {
      if (stopping.signal.aborted) return;
      const before = new Map([...jobs.values()].map((job) => [job, job.intervalMs]));
      replaceJobs(jobs, { schedules, clock: options.clock });
      startSlots();
      for (const job of jobs.values())
        if (isDue(job, before.get(job), again, options)) void pollAgain(job);
    },
    pollAll: () => {
      for (const job of jobs.values()) if (!isAskedToWait(job, options)) void pollAgain(job);
    },
    counts: (aggregator, poller) => ({ ...jobOf(aggregator, poller).counts }),
    stop: async (graceMs) => {
      stopping.abort();
      timer.end();
      const running = [...jobs.values()].flatMap((job) => job.running ?? []);
      return await settleWithin(running, graceMs);
    },
  };
}

/** A job with the same schedule as before stays as it is. */
function replaceJobs(
  jobs: Jobs,
  { schedules, clock }: Pick<SchedulerOptions, "schedules" | "clock">,
): void {
  const kept = new Set(schedules.map(keyOf));
  for (const [key, job] of jobs) {
    if (kept.has(key)) continue;
    jobs.delete(key);
    endSlots(job);
  }
  for (const schedule of schedules) {
    const key = keyOf(schedule);
    const known = jobs.get(key);
    if (known === undefined) jobs.set(key, newJob(schedule));
    else if (known.schedule.cron !== schedule.cron) reschedule(known, schedule, clock.now());
  }
}

/** Whether it is new, or may poll and is to poll `again`, or is more frequent than before. */
function isDue(
  job: Job,
  intervalBeforeMs: Millis | undefined,
  again: (schedule: Schedule) => boolean,
  options: SchedulerOptions,
): boolean {
  if (intervalBeforeMs === undefined) return true;
  if (isAskedToWait(job, options)) return false;
  return again(job.schedule) || (job.intervalMs < intervalBeforeMs && job.running === undefined);
}

function keyOf({ aggregator, poller }: Omit<Schedule, "cron">): string {
  return `${aggregator}/${poller}`;
}

function reschedule(job: Job, schedule: Schedule, at: Instant): void {
  endSlots(job);
  job.schedule = schedule;
  job.intervalMs = longestIntervalMs(schedule.cron);
  job.toSkip = Math.min(job.toSkip, slotsToSkip(job.failures, job.intervalMs));
  // The new schedule is not silent for the time in which it was not in force.
  job.counts.firedAt = at;
}

/** A running poll goes on. */
function endSlots(job: Job): void {
  job.slots?.end();
  job.slots = undefined;
}

function newJob(schedule: Schedule): Job {
  return {
    schedule,
    intervalMs: longestIntervalMs(schedule.cron),
    offsetMs: startOffsetMs(schedule.aggregator, schedule.poller),
    slots: undefined,
    running: undefined,
    failures: 0,
    toSkip: 0,
    counts: newCounts(),
  };
}

function startSlotsOf(job: Job, timer: SlotTimer, onSlot: OnSlot): TimedSlots {
  const { schedule, intervalMs } = job;
  return timer.add({
    cron: schedule.cron,
    intervalMs,
    onSlot: (slot, missed) => {
      job.counts.missed += missed;
      void onSlot(job, slot);
    },
  });
}

/** Why no poll begins at this slot; undefined if one does. */
function skipReason(
  job: Job,
  options: SchedulerOptions,
): "overlapped" | "askedToWait" | "backedOff" | undefined {
  if (job.running !== undefined) return "overlapped";
  if (isAskedToWait(job, options)) return "askedToWait";
  if (job.toSkip === 0) return undefined;
  job.toSkip -= 1;
  return "backedOff";
}

function isAskedToWait({ schedule }: Job, { notBefore, clock }: SchedulerOptions): boolean {
  return clock.now() < (notBefore?.(schedule.aggregator, schedule.poller) ?? -Infinity);
}

/** Waits for the offset, polls, and computes the back-off. Never throws. */
async function runOnce(
  job: Job,
  slot: Instant,
  offsetMs: Millis,
  { run, log }: SchedulerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { aggregator, poller } = job.schedule;
  if (!(await pause(offsetMs, signal))) return;
  job.counts.started += 1;
  let outcome: PollOutcome = "failed";
  try {
    outcome = await run(aggregator, poller, slot);
  } catch (error) {
    log.error(`${keyOf(job.schedule)}: a bug while polling`, error);
  }
  job.failures = outcome === "failed" ? job.failures + 1 : 0;
  job.toSkip = slotsToSkip(job.failures, job.intervalMs);
}
