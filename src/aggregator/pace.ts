import type { FailureReason } from "../domain/http.ts";
import { MINUTE, SECOND, type Instant, type Millis } from "../domain/time.ts";

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
 * 429 and 503 say that it is pressed, whatever becomes of the body, and a time-out shows it. Any other whole answer
 * below 500 came in time, whatever it says. Another 5xx, or no connection, may come from anything.
 */
export function pressureOf(
  answer:
    | { readonly status: number; readonly reason?: never }
    | { readonly status?: number; readonly reason: FailureReason },
): Pressure {
  if (asksToWait(answer) || answer.reason === "timeout") return "pressed";
  return answer.reason === undefined && answer.status < 500 ? "well" : "unsaid";
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

/** At the slowest pace, and not only because the settings allow no more: what fails is then not tried again at once. */
export function isSlowest({ limit }: Pace, most: number): boolean {
  return most > LEAST && limit <= LEAST;
}

/** The statuses whose `Retry-After` counts: RFC 6585 section 4, and RFC 9110 section 15.6.4. */
export function asksToWait({ status }: { readonly status?: number }): boolean {
  return status === 429 || status === 503;
}

/** How long polls leave an endpoint alone. */
export type Pause = {
  readonly until: Instant;
  /** When it began, or was last made longer. */
  readonly since: Instant;
  /** The aggregator did not say how long: what we last chose ourselves. */
  readonly guess?: { readonly lastsMs: Millis; readonly refused: Sent };
};

/** A read that was sent, once or again. */
export type Sent = {
  readonly sentAt: Instant;
  /** The same for all tries of one read. */
  readonly read?: symbol | undefined;
};

const FIRST_PAUSE: Millis = SECOND;
/** By itself, aggwatch polls again within this time, as after other failures in a row. */
const LONGEST_GUESS: Millis = MINUTE;

/** A 503 may be that of one bad backend among many, if not several reads in a row get one. */
export const LEAST_REFUSED_BY_503 = 3;

/**
 * Whether a refusal is that of the endpoint. `refusedReads` is how many different reads were refused one after another,
 * this one included.
 */
export function isOfEndpoint(status: number, refusedReads: number): boolean {
  return status !== 503 || refusedReads >= LEAST_REFUSED_BY_503;
}

/**
 * The pause of an endpoint after an answer to what was sent. A 429 or 503 that names a time pauses for that long, but at
 * most for `longestMs`. A 429 that names none, or the last of several such 503 in a row, pauses for a second, and for
 * twice as long each time that another read is refused. Any other answer to what was sent after the refused read ends
 * this: it is that read which is refused, and not the endpoint. So none begins if such an answer came before the refusal.
 * A refusal of what was sent before the pause began says nothing new.
 */
export function pauseAfter(
  pause: Pause | undefined,
  answer: { readonly status: number; readonly retryAfterMs?: Millis | undefined },
  sent: Sent,
  {
    now,
    longestMs,
    refusedReads,
    answeredSentAt = -Infinity,
  }: {
    readonly now: Instant;
    readonly longestMs: Millis;
    /** As in `isOfEndpoint`. */
    readonly refusedReads: number;
    /** When the request was sent that last got an answer other than 429 or 503. */
    readonly answeredSentAt?: Instant | undefined;
  },
): Pause | undefined {
  const { retryAfterMs = 0 } = answer;
  const { until = now, since = -Infinity, guess } = pause ?? {};
  if (asksToWait(answer) && retryAfterMs > 0)
    return { until: Math.max(until, now + Math.min(retryAfterMs, longestMs)), since: now };
  const isNamed = guess === undefined && now < until;
  if (isNamed) return pause;
  if (!asksToWait(answer))
    return sent.sentAt > (guess?.refused.sentAt ?? since) ? undefined : pause;
  if (sent.sentAt <= Math.max(since, answeredSentAt)) return pause;
  if (guess === undefined && !isOfEndpoint(answer.status, refusedReads)) return pause;
  const lastsMs = Math.min(nextGuess(guess, sent), LONGEST_GUESS, longestMs);
  return { until: now + lastsMs, since: now, guess: { lastsMs, refused: sent } };
}

/** Another try of the read that was refused says no more of the endpoint than the one before. */
function nextGuess(guess: Pause["guess"], { read }: Sent): Millis {
  if (guess === undefined) return FIRST_PAUSE;
  const isSame = read !== undefined && read === guess.refused.read;
  return isSame ? guess.lastsMs : 2 * guess.lastsMs;
}
