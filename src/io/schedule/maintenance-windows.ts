import { createTask } from "node-cron";
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
    const task = createTask(window.schedule, () => undefined, { timezone: window.timeZone });
    try {
      const latest = Math.floor(at / MINUTE) * MINUTE;
      for (let slot = latest; slot > at - window.durationMs; slot -= MINUTE) {
        if (task.match(new Date(slot))) return [{ window, until: slot + window.durationMs }];
      }
      return [];
    } finally {
      void task.destroy();
    }
  });
}
