import { formatDuring, type Condition, type During } from "../../domain/rule.ts";
import { DAY, MINUTE, SECOND, type Instant, type Millis } from "../../domain/time.ts";

/**
 * `during`: the hours and days in which a rule is judged, or may act. They are those of the clocks in the time
 * zone: if a clock jumps over an edge, the edge is at the jump.
 */

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const MINUTES_A_DAY = 24 * 60;
const MINUTES_A_WEEK = 7 * MINUTES_A_DAY;
/** The epoch was a Thursday, and weeks begin on Mondays here. */
const EPOCH_DAY = 3;

/** The first and the last minute of `09:00-17:30`, from the midnight before; undefined if it is no such text. */
export function minutesOf(text: string): readonly [from: number, until: number] | undefined {
  const match = /^(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = match.slice(1).map(Number);
  const from = fromHour * 60 + fromMinute;
  const until = untilHour * 60 + untilMinute;
  if (fromMinute > 59 || untilMinute > 59 || from >= MINUTES_A_DAY) return undefined;
  if (until > MINUTES_A_DAY || until === from) return undefined;
  return [from, until > from ? until : until + MINUTES_A_DAY];
}

/** The days of `mon`, `mon-fri` or `sat-mon`, from 0, a Monday; undefined if it is no such text. */
export function daysOf(text: string): readonly number[] | undefined {
  const [first, last, ...more] = text.split("-").map((day) => DAYS.findIndex((one) => one === day));
  if (first === undefined || first < 0 || last === -1 || more.length > 0) return undefined;
  const count = last === undefined ? 1 : ((last - first + 7) % 7) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) % 7);
}

/** What is written, checked. */
type DuringText = Pick<During, "hours" | "days"> & { readonly time_zone: string };

export function compileDuring({ hours, days, time_zone: timeZone }: DuringText): During {
  const covered = coveredMinutes(hours, days);
  const localTime = localTimeIn(timeZone);
  // All entities of a rule ask for the same instants, and a time zone is slow to ask.
  let known = { from: 0, until: 0, isCovered: false };
  const stretchAt = (at: Instant): typeof known => {
    if (at >= known.from && at < known.until) return known;
    const local = localTime(at);
    const isCovered = covered[minuteOfWeek(local)] === true;
    known = { from: at, until: stretchEnd(at, covered, localTime), isCovered };
    return known;
  };
  return {
    hours,
    days,
    timeZone,
    covers: (at) => stretchAt(at).isCovered,
    nextEdge: (at) => stretchAt(at).until,
  };
}

/** A condition that is judged only within these hours; outside of them nothing is wrong. */
export function onlyDuring(condition: Condition, during: During): Condition {
  const { nextFlip } = condition;
  // If the condition reads the time in some complicated way, the instant is not known.
  const isKnown = nextFlip !== undefined || !condition.readsTime;
  return {
    ...condition,
    readsTime: true,
    judge: (scope) =>
      during.covers(scope.now)
        ? condition.judge(scope)
        : { truth: "ok", reason: `outside of ${formatDuring(during)}` },
    ...(isKnown
      ? {
          nextFlip: (scope) => Math.min(during.nextEdge(scope.now), nextFlip?.(scope) ?? Infinity),
        }
      : {}),
  };
}

/** Whether each minute of a week is covered. */
function coveredMinutes(hours: readonly string[], days: readonly string[]): readonly boolean[] {
  const covered = Array.from({ length: MINUTES_A_WEEK }, () => false);
  for (const day of days.flatMap((text) => daysOf(text) ?? []))
    for (const text of hours) {
      const [from, until] = minutesOf(text) ?? [0, 0];
      for (let minute = from; minute < until; minute += 1)
        covered[(day * MINUTES_A_DAY + minute) % MINUTES_A_WEEK] = true;
    }
  return covered;
}

/** The longest time that it lasts without a break, apart from clock changes. */
export function longestStretch({ hours, days }: Pick<During, "hours" | "days">): Millis {
  const covered = coveredMinutes(hours, days);
  const gap = covered.indexOf(false);
  if (gap < 0) return Infinity;
  // The week begins again after a minute that is not covered, so that no stretch is cut in two.
  const week = [...covered.slice(gap), ...covered.slice(0, gap)];
  let [longest, length] = [0, 0];
  for (const isCovered of week) {
    length = isCovered ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return longest * MINUTE;
}

/** Until when nothing changes; at most a day ahead, as clocks may change in between. */
function stretchEnd(
  at: Instant,
  covered: readonly boolean[],
  localTime: (at: Instant) => number,
): Instant {
  if (!covered.includes(!covered[0])) return Infinity;
  const local = localTime(at);
  const now = minuteOfWeek(local);
  let minutes = 1;
  while (minutes < MINUTES_A_DAY && covered[(now + minutes) % MINUTES_A_WEEK] === covered[now])
    minutes += 1;
  const end = at - modulo(local, MINUTE) + minutes * MINUTE;
  const offset = local - at;
  const offsetAt = (instant: Instant): Millis => localTime(instant) - instant;
  if (offsetAt(end) === offset) return end;
  // A clock change comes first: nothing changes until then, and then this is asked again.
  let [before, after] = [at, end];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** Never negative. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

function minuteOfWeek(local: number): number {
  const day = Math.floor(local / DAY) + EPOCH_DAY;
  return modulo(day, 7) * MINUTES_A_DAY + Math.floor(modulo(local, DAY) / MINUTE);
}

/** What the clocks in a zone show, as if it were UTC. */
export function localTimeIn(timeZone: string): (at: Instant) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const seconds = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return seconds + modulo(at, SECOND);
  };
}
