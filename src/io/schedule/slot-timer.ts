import { createTask } from "node-cron";
import { SECOND, type Instant, type Millis } from "../../domain/time.ts";
import { steadyNow } from "../process/clock.ts";
import { dailySlots } from "./daily-slots.ts";

/** Calls back at the slots of schedules. The slots are node-cron's; only the waiting is done here. */
export type SlotTimer = {
  /** Calls at each slot from now on. */
  readonly add: (schedule: TimedSchedule) => TimedSlots;
  readonly end: () => void;
};

export type TimedSlots = { readonly end: () => void };

export type TimedSchedule = {
  /** Six-field cron, in UTC. */
  readonly cron: string;
  /** The longest time between two slots. */
  readonly intervalMs: Millis;
  /** `missed`: so many slots before this one passed while the process could not run. */
  readonly onSlot: (slot: Instant, missed: number) => void;
};

type Waiting = {
  readonly schedule: TimedSchedule;
  readonly nextSlot: () => Instant;
  slot: Instant;
};

/** How often it looks at the wall clock: slots are instants of that, and a timer does not notice if it is set. */
const LONGEST_SLEEP: Millis = SECOND;

/** A smaller step back is ignored, so that no slot comes twice. */
const BACK: Millis = SECOND;

/**
 * One timer for all schedules. If a slot comes late, because of a busy process, a suspended machine or a clock that was
 * set forward, the next one is computed from now: node-cron's own timer would walk over all slots in between, which
 * takes seconds for days, and minutes for a year. If the clock was set back, all are computed again.
 */
export function createSlotTimer(): SlotTimer {
  const all = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let seen = { wall: Date.now(), steady: steadyNow() };
  let sleepMs = 0;
  const arm = (): void => {
    clearTimeout(timer);
    if (all.size === 0) return;
    const next = Math.min(...[...all].map(({ slot }) => slot));
    sleepMs = Math.max(1, Math.min(next - Date.now(), LONGEST_SLEEP));
    timer = setTimeout(wake, sleepMs);
  };
  const wake = (): void => {
    const now = { wall: Date.now(), steady: steadyNow() };
    const passedMs = now.steady - seen.steady;
    const isBack = now.wall - seen.wall < passedMs - BACK;
    seen = now;
    // Schedules are mostly alike, and computing a slot takes longer than all the rest.
    const slots = new Map<string, Instant>();
    const nextOf = ({ schedule: { cron }, nextSlot }: Waiting): Instant => {
      const next = slots.get(cron) ?? nextSlot();
      slots.set(cron, next);
      return next;
    };
    for (const one of all) {
      const { slot, schedule } = one;
      if (isBack || slot <= now.wall) one.slot = nextOf(one);
      if (isBack || slot > now.wall) continue;
      // By the steady clock too: nothing is missed if the wall clock is set forward.
      const lateMs = Math.min(now.wall - slot, passedMs - sleepMs);
      schedule.onSlot(slot, Math.max(0, Math.floor(lateMs / schedule.intervalMs)));
    }
    arm();
  };
  return {
    add: (schedule) => {
      const nextSlot = nextSlotOf(schedule.cron);
      const own = { schedule, nextSlot, slot: nextSlot() };
      all.add(own);
      arm();
      return { end: () => void all.delete(own) };
    },
    end: () => {
      clearTimeout(timer);
      all.clear();
    },
  };
}

/** Returns the first slot after now, by the wall clock. */
function nextSlotOf(cron: string): () => Instant {
  const after = dailySlots(cron);
  return after === undefined ? byNodeCron(cron) : () => after(Date.now());
}

/** The task never runs, because node-cron would keep it, and everything that it refers to, forever. */
function byNodeCron(cron: string): () => Instant {
  const task = createTask(cron, () => undefined, { timezone: "Etc/UTC" });
  void task.destroy();
  return () => {
    const [next] = task.getNextRuns(1);
    if (next === undefined) throw new Error(`${task.getPattern?.() ?? "a schedule"} has no slot`);
    return next.getTime();
  };
}
