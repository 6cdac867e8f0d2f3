import { createTask, parse } from "node-cron";
import { DAY, HOUR, MINUTE, SECOND, type Millis } from "../../domain/time.ts";

/** How many matching days are sampled if a schedule does not run every day. */
const SAMPLED_DAYS = 60;

/**
 * The longest time between two slots of a schedule (UTC). Exact for schedules that run every day; for
 * others it is the longest over the next sixty days on which they run. Throws if the text is no
 * schedule: the config is checked first.
 */
export function longestIntervalMs(expression: string): Millis {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(expression);
  const isEveryDay = [dayOfMonth, month, dayOfWeek].every(
    (values, index) => inOrder(values).length === [31, 12, 7][index],
  );
  const longestDays = isEveryDay ? 1 : longestDayGap(expression);
  const units = [
    [inOrder(second), SECOND],
    [inOrder(minute), MINUTE],
    [inOrder(hour), HOUR],
  ] as const;
  let longest: Millis = 0;
  /** From the first slot of such a unit to its last one. */
  let span: Millis = 0;
  for (const [values, unitMs] of units) {
    longest = Math.max(longest, longestStep(values) * unitMs - span);
    span += ((values.at(-1) ?? 0) - (values[0] ?? 0)) * unitMs;
  }
  return Math.max(longest, longestDays * DAY - span);
}

/** The numbers of a field, each once: the library leaves them as they are written, as in `22-6` or `17,9`. */
export function inOrder(values: ReadonlyArray<number | string>): readonly number[] {
  const numbers = values.filter((value) => typeof value === "number");
  return [...new Set(numbers)].sort((one, next) => one - next);
}

/** The longest gap between neighbouring values; 0 if there is only one. */
function longestStep(values: readonly number[]): number {
  return values
    .slice(1)
    .reduce((longest, value, index) => Math.max(longest, value - (values[index] ?? 0)), 0);
}

/** The same schedule with one slot a day, and the longest gap between two of them in days. */
function longestDayGap(expression: string): number {
  const { dayOfMonth, month, dayOfWeek } = parse(expression);
  const daily = `0 0 0 ${dayOfMonth.join(",")} ${month.join(",")} ${dayOfWeek.join(",")}`;
  const task = createTask(daily, () => undefined, { timezone: "Etc/UTC" });
  const runs = task.getNextRuns(SAMPLED_DAYS).map((date) => date.getTime());
  void task.destroy();
  const gaps = runs.slice(1).map((at, index) => (at - (runs[index] ?? at)) / DAY);
  return gaps.reduce((longest, gap) => Math.max(longest, gap), 1);
}
