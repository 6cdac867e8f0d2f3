import { parse, validate } from "node-cron";
import { inOrder } from "../../config/settings/cron-interval.ts";
import { DAY, HOUR, MINUTE, SECOND, type Instant } from "../../domain/time.ts";

/** The first slot after an instant. */
export type SlotAfter = (after: Instant) => Instant;

/**
 * The slots of a six-field cron pattern, in UTC, whose days are all alike, as most pollers' are. They equal
 * node-cron's, which takes long because it formats dates in a time zone. Undefined for every other pattern:
 * node-cron handles those.
 */
export function dailySlots(cron: string): SlotAfter | undefined {
  const days = cron.trim().split(/\s+/).slice(3);
  if (days.length !== 3 || days.some((field) => field !== "*") || !validate(cron)) return undefined;
  const { second, minute, hour } = parse(cron);
  const [seconds, minutes, hours] = [inOrder(second), inOrder(minute), inOrder(hour)];
  const firstOfDay = firstFrom(0, hours, minutes, seconds) ?? 0;
  return (after) => {
    const midnight = Math.floor(after / DAY) * DAY;
    // A slot in the current second has passed.
    const from = Math.floor((after - midnight) / SECOND + 1) * SECOND;
    const today = firstFrom(from, hours, minutes, seconds);
    return midnight + (today ?? DAY + firstOfDay);
  };
}

function firstFrom(
  from: number,
  hours: readonly number[],
  minutes: readonly number[],
  seconds: readonly number[],
): number | undefined {
  for (const hour of hours) {
    if ((hour + 1) * HOUR <= from) continue;
    for (const minute of minutes) {
      const at = hour * HOUR + minute * MINUTE;
      if (at + MINUTE <= from) continue;
      for (const second of seconds) if (at + second * SECOND >= from) return at + second * SECOND;
    }
  }
  return undefined;
}
