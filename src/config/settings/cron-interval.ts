import { createTask, parse } from "node-cron";
import { DAY, SECOND, type Millis } from "../../domain/time.ts";

/** How many matching days are sampled if a schedule does not run every day. */
const SAMPLED_DAYS = 60;

/**
 * The longest time between two slots of a schedule (UTC). Exact for schedules that run every day; for
 * others it is the longest over the next sixty days on which they run. Throws if the text is no
 * schedule: the config is checked first.
 */
export function longestIntervalMs(expression: string): Millis {
  const fields = parse(expression);
  const slots = slotsOfDay(fields);
  const first = slots[0] ?? 0;
  const last = slots.at(-1) ?? 0;
  const withinDay = slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0));
  const { dayOfMonth, month, dayOfWeek } = fields;
  const isEveryDay = dayOfMonth.length === 31 && month.length === 12 && dayOfWeek.length >= 7;
  const longestDays = isEveryDay ? 1 : longestDayGap(expression);
  const overNight = longestDays * DAY - (last - first);
  return withinDay.reduce((longest, gap) => Math.max(longest, gap), overNight);
}

function slotsOfDay(fields: {
  readonly second: readonly number[];
  readonly minute: readonly number[];
  readonly hour: readonly number[];
}): readonly Millis[] {
  return fields.hour.flatMap((hour) =>
    fields.minute.flatMap((minute) =>
      fields.second.map((second) => ((hour * 60 + minute) * 60 + second) * SECOND),
    ),
  );
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
