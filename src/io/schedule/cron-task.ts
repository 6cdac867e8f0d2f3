import type { ScheduledTask } from "node-cron";
import { schedule } from "node-cron";
import type { Instant } from "../../domain/time.ts";

/** The log of the scheduler, and of node-cron below it. */
export type SchedulerLog = {
  readonly debug: (message: string) => void;
  readonly info: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly error: (message: string, error?: unknown) => void;
};

export type CronTask = {
  readonly name: string;
  /** Six-field cron, in UTC. */
  readonly cron: string;
  readonly onSlot: (slot: Instant) => Promise<void>;
  /** A slot passed while the process was too busy to notice it. */
  readonly onMissed: () => void;
  readonly onOverlap: () => void;
};

/** Calls at every slot of a schedule, from now on. */
export function startCronTask(task: CronTask, log: SchedulerLog): ScheduledTask {
  const scheduled = schedule(task.cron, ({ date }) => task.onSlot(date.getTime()), {
    name: task.name,
    timezone: "Etc/UTC",
    noOverlap: true,
    suppressMissedWarning: true,
    logger: {
      debug: (message) => log.debug(String(message)),
      info: (message) => log.info(message),
      warn: (message) => log.warn(message),
      error: (message, error) => log.error(String(message), error),
    },
  });
  scheduled.on("execution:missed", task.onMissed);
  scheduled.on("execution:overlap", task.onOverlap);
  return scheduled;
}

/** No slot from now on; what runs at one goes on. */
export function endCronTask(task: ScheduledTask | undefined, log: SchedulerLog): void {
  const failed = (error: unknown): void => log.error("a schedule cannot be ended", error);
  void Promise.resolve(task?.destroy()).catch(failed);
}
