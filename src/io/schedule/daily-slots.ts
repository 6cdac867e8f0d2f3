import { DAY, HOUR, MINUTE, SECOND, type Instant } from "../../domain/time.ts";

/** The first slot after an instant. */
export type SlotAfter = (after: Instant) => Instant;

/**
 * The slots of a six-field cron pattern, in UTC, whose days are all alike, as most pollers' are. They equal
 * node-cron's, which takes long because it formats dates in a time zone. Undefined for every other pattern and
 * notation: node-cron handles those.
 */
export function dailySlots(cron: string): SlotAfter | undefined {
  const [second = "", minute = "", hour = "", ...days] = cron.trim().split(/\s+/);
  if (days.length !== 3 || days.some((field) => field !== "*")) return undefined;
  const seconds = valuesOf(second, 59);
  const minutes = valuesOf(minute, 59);
  const hours = valuesOf(hour, 23);
  if (seconds === undefined || minutes === undefined || hours === undefined) return undefined;
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

const ITEM = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/** The values in their order; undefined if the notation is not supported here. */
function valuesOf(field: string, most: number): readonly number[] | undefined {
  const values = new Set<number>();
  for (const item of field.split(",")) {
    const found = ITEM.exec(item);
    if (found === null) return undefined;
    const [, first, last, step] = found;
    const isRange = first === undefined || last !== undefined;
    const from = Number(first ?? 0);
    const to = first === undefined ? most : Number(last ?? first);
    const by = Number(step ?? 1);
    if ((step !== undefined && !isRange) || from > to || to > most || by === 0) return undefined;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return [...values].toSorted((one, other) => one - other);
}
