import type { FailureReason } from "../domain/http.ts";
import type { Instant, Millis } from "../domain/time.ts";

/**
 * How fast an aggregator may be polled, by how it answers: additive increase, multiplicative decrease,
 * as TCP does it (RFC 5681). The limit is of polls that are under way at once. It halves when the
 * aggregator says or shows that it is pressed, and grows by one for as many good answers as it is high.
 * Requests sent before the last halving do not halve it again: their answers are of the old pace.
 */
type Pace = {
  /** The most polls at once; not whole while it grows. */
  readonly limit: number;
  /** When it was last halved. */
  readonly cutAt: Instant;
};

/** The limit never falls below this (or the setting, if that is less), so that one hanging answer cannot stop all. */
const LEAST = 2;

/** What an answer, or the lack of one, says of how pressed an aggregator is. */
export type Pressure = "pressed" | "well" | "unsaid";

/** The pace at the start: as fast as the settings allow. */
export function fullPace(most: number): Pace {
  return { limit: most, cutAt: -Infinity };
}

/**
 * 429 and 503 say that it is pressed, and a time-out shows it. Any other answer below 500 came in
 * time, whatever it says. Another 5xx, or no connection, may come from anything.
 */
export function pressureOf(
  answer: { readonly status: number } | { readonly reason: FailureReason },
): Pressure {
  if ("reason" in answer) return answer.reason === "timeout" ? "pressed" : "unsaid";
  if (isAskedToWait(answer.status)) return "pressed";
  return answer.status < 500 ? "well" : "unsaid";
}

/** The pace after an answer to what was sent at `sentAt`, within its bounds. */
export function paceAfter(
  pace: Pace,
  pressure: Pressure,
  sentAt: Instant,
  now: Instant,
  most: number,
): Pace {
  switch (pressure) {
    case "unsaid":
      return pace;
    case "well":
      if (pace.limit >= most) return pace;
      return { ...pace, limit: Math.min(most, pace.limit + 1 / pace.limit) };
    case "pressed":
      if (sentAt <= pace.cutAt) return pace;
      return { limit: Math.max(Math.min(LEAST, most), pace.limit / 2), cutAt: now };
  }
}

/** The statuses whose `Retry-After` counts: RFC 6585 section 4, and RFC 9110 section 15.6.4. */
function isAskedToWait(status: number): boolean {
  return status === 429 || status === 503;
}

/** Until when an endpoint is paused after an answer, at most so long; undefined if it is not. */
export function pauseUntil(
  answer: { readonly status: number; readonly retryAfterMs?: Millis | undefined },
  now: Instant,
  longestMs: Millis,
): Instant | undefined {
  const { status, retryAfterMs = 0 } = answer;
  if (!isAskedToWait(status) || retryAfterMs <= 0) return undefined;
  return now + Math.min(retryAfterMs, longestMs);
}
