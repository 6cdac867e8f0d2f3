/** Instants and lengths of time as people read them. Instants come as ISO 8601 text, as in every answer. */

export type Zone = "local" | "UTC";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** The two largest units that are not zero: `2d 3h`, `4m 10s`, `0s`. */
export function lengthText(milliseconds: number): string {
  let rest = Math.max(0, Math.floor(milliseconds / SECOND));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count}${unit}`);
    // Of days, minutes say nothing.
    else if (parts.length === 1) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0s" : parts.join(" ");
}

/** How long before or after `now` an instant is. */
export function agoText(instant: string, now: number): string {
  const then = Date.parse(instant);
  return then > now ? `in ${lengthText(then - now)}` : `${lengthText(now - then)} ago`;
}

/** An instant on the clock: `2026-01-31 12:00:00 UTC`; in local time with its offset from UTC. */
export function clockText(at: number, zone: Zone): string {
  const minutes = zone === "UTC" ? 0 : -new Date(at).getTimezoneOffset();
  const text = new Date(at + minutes * 60 * SECOND).toISOString().slice(0, 19).replace("T", " ");
  return `${text} ${zone === "UTC" ? "UTC" : offsetText(minutes)}`;
}

/** An instant as the field of a date and time has it: without its zone. */
export function fieldText(at: number, zone: Zone): string {
  return clockText(at, zone).slice(0, 19).replace(" ", "T");
}

/** The inverse; NaN if the field is empty. */
export function instantOf(field: string, zone: Zone): number {
  return Date.parse(zone === "UTC" && field !== "" ? `${field}Z` : field);
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(hours)}:${two(rest)}`;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** If a fact is an instant: the API writes those as ISO 8601 text in UTC. Others may write what only looks like one. */
export function isInstant(value: unknown): value is string {
  return typeof value === "string" && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

/** A text cut at the instants that it names. */
export function splitByInstants(text: string): ReadonlyArray<string | { readonly at: string }> {
  return text
    .split(/(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b)/)
    .filter((part) => part !== "")
    .map((part) => (isInstant(part) ? { at: part } : part));
}
