/**
 * Time as the core knows it. An instant is handed in, never read from a clock, so that the same
 * code runs live, simulated, recorded and scripted.
 */

/** Milliseconds since the epoch, UTC. */
export type Instant = number;

/** A length of time in milliseconds. */
export type Millis = number;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/**
 * What a field of many objects holds until its instant is set. V8 gives a field that has held only numbers a box of its own
 * in each object, 16 bytes; one that has held something else shares the box of the number that is set.
 */
export const NOT_YET_SET = undefined as unknown as Instant;

/** What the shell and the simulator read the time from. `now()` is milliseconds since the epoch. */
export type Clock = { readonly now: () => Instant };

const UNITS: ReadonlyArray<readonly [string, Millis]> = [
  ["w", 7 * DAY],
  ["d", DAY],
  ["h", HOUR],
  ["m", MINUTE],
  ["s", SECOND],
  ["ms", 1],
];

const DURATION = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** The longest duration that is accepted: ten years. A longer one is a typing mistake. */
export const LONGEST_DURATION: Millis = 3_650 * DAY;

/**
 * Reads a duration as Prometheus spells it: `90s`, `5m`, `1h30m`, `250ms`, and `0`.
 * Gives `undefined` for anything else, which the caller reports.
 */
export function parseDuration(text: string): Millis | undefined {
  if (text === "0") return 0;
  const match = text === "" ? null : DURATION.exec(text);
  if (match === null) return undefined;
  const total = UNITS.reduce(
    (sum, [, size], index) => sum + Number(match[index + 1] ?? 0) * size,
    0,
  );
  return total <= LONGEST_DURATION ? total : undefined;
}

/**
 * Writes a duration for people, as `parseDuration` reads it: the two largest units, and no
 * milliseconds from ten seconds on. `1h30m`, `12s`, `1s250ms`.
 */
export function formatDuration(length: Millis): string {
  if (length <= 0) return "0s";
  const parts: string[] = [];
  let rest = length < 10 * SECOND ? Math.round(length) : Math.round(length / SECOND) * SECOND;
  for (const [name, size] of UNITS) {
    if (name === "w") continue;
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${name}`);
    if (parts.length === 2) break;
  }
  return parts.join("");
}

/** Reads an ISO 8601 text; undefined if it is no instant. `Date.parse` takes 30 February for 2 March. */
export function parseInstant(text: string): Instant | undefined {
  const at = Date.parse(text);
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  const isDay = day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Number.isNaN(at) || !isDay ? undefined : at;
}

/** An instant as people read it in logs and pages: ISO 8601, UTC. */
export function formatInstant(at: Instant): string {
  return new Date(at).toISOString();
}

/** The same without milliseconds. */
export function formatSecond(at: Instant): string {
  return `${formatInstant(at).slice(0, 19)}Z`;
}

/** A text with its instants and ages rounded to the second, for people. */
export function toTheSecond(text: string): string {
  return text
    .replaceAll(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z/g, "$1Z")
    .replaceAll(/\b((?:\d+[dhm])*\d+[dhms])\d+ms\b/g, "$1");
}
