import { createTask, type ScheduledTask } from "node-cron";
import { localTimeIn } from "../../config/rules/during.ts";
import type { Scope } from "../../domain/hold.ts";
import { MINUTE, type Instant, type Millis } from "../../domain/time.ts";

/** Recurring maintenance: while a window is open, there is a hold until its end. */
export type MaintenanceWindow = {
  readonly name: string;
  /** Cron with five fields, in the time zone. */
  readonly schedule: string;
  readonly timeZone: string;
  readonly durationMs: Millis;
  readonly scope: Scope;
  readonly reason: string;
};

export type OpenWindow = { readonly window: MaintenanceWindow; readonly until: Instant };

/**
 * The windows that are open at an instant. It searches back minute by minute, so that it also finds a window that began
 * during a restart, or while the machine slept.
 */
export function openWindows(windows: readonly MaintenanceWindow[], at: Instant): OpenWindow[] {
  return windows.flatMap((window) => {
    const { schedule, timeZone, durationMs } = window;
    const [local, utc] = [timeZone, "Etc/UTC"].map((timezone) =>
      createTask(schedule, () => undefined, { timezone }),
    ) as [ScheduledTask, ScheduledTask];
    try {
      const latest = Math.floor(at / MINUTE) * MINUTE;
      const skipped = skippedMinutes(timeZone, at - durationMs, latest);
      for (let slot = latest; slot > at - durationMs; slot -= MINUTE) {
        const isDue =
          local.match(new Date(slot)) ||
          skipped(slot).some((minute) => utc.match(new Date(minute)));
        if (isDue) return [{ window, until: slot + durationMs }];
      }
      return [];
    } finally {
      void local.destroy();
      void utc.destroy();
    }
  });
}

/**
 * Gives the minutes that the clocks skip right before an instant, as they are put forward; in a time zone, but as if
 * they were of UTC. A window that would begin in one of them begins at the instant.
 */
function skippedMinutes(
  timeZone: string,
  from: Instant,
  to: Instant,
): (at: Instant) => readonly Instant[] {
  const clockAt = localTimeIn(timeZone);
  const first = Math.floor(from / MINUTE) * MINUTE;
  // So it is all year, except for one day.
  if (clockAt(to) - clockAt(first) <= to - first) return () => [];
  return (at) => {
    const minutes: Instant[] = [];
    const end = clockAt(at);
    for (let minute = clockAt(at - MINUTE) + MINUTE; minute < end; minute += MINUTE)
      minutes.push(minute);
    return minutes;
  };
}
