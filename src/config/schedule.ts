import { parse, validateDetailed } from "node-cron";
import { DAY, SECOND } from "../domain/time.ts";
import type { Millis } from "../domain/time.ts";

/** Says what is wrong with a cron pattern, or nothing where it is right. */
export function schedulePatternProblem(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6)
    return `a schedule has six fields, seconds first, or five, not ${fields}`;
  try {
    const checked = validateDetailed(pattern);
    if (checked.valid) return undefined;
    const [error] = checked.errors;
    return error === undefined ? "is not a schedule" : `${error.field}: ${error.message}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * The longest time between two slots of a valid pattern. Where it is limited to some days, the gap
 * over the days between is taken as a month at most: only `stale_after` follows from it.
 */
export function longestGapMs(pattern: string): Millis {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(pattern);
  const slots = hour.flatMap((h) =>
    minute.flatMap((m) => second.map((s) => (h * 3_600 + m * 60 + s) * SECOND)),
  );
  slots.sort((a, b) => a - b);
  const first = slots[0] ?? 0;
  const everyDay = dayOfMonth.length >= 31 && month.length >= 12 && dayOfWeek.length >= 7;
  const overnight = first + (everyDay ? DAY : 31 * DAY) - (slots.at(-1) ?? 0);
  return slots.reduce(
    (longest, slot, index) => Math.max(longest, index === 0 ? 0 : slot - (slots[index - 1] ?? 0)),
    overnight,
  );
}
