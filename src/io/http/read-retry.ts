import pRetry from "p-retry";
import type { Failure } from "../../domain/http.ts";
import type { Result } from "../../domain/result.ts";
import { fail } from "../../domain/result.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import { pause } from "../process/pause.ts";

export type Retries = {
  /** How many more tries, after the first. */
  readonly limit: number;
  /** The first wait, before jitter; it doubles each time. */
  readonly firstDelayMs: Millis;
  readonly longestDelayMs: Millis;
};

/** Only failures that may pass by themselves are retried; a body of the wrong shape does not change at once. */
export function isRetryable(failure: Failure): boolean {
  if (failure.reason === "timeout" || failure.reason === "connect") return true;
  const { reason, status = 0 } = failure;
  return reason === "status" && (status >= 500 || status === 408 || status === 429);
}

/**
 * How long to wait after the given attempt: 1 is the first, and 0 one that was held back, which then goes before those
 * that were refused. With jitter, so that clients that failed together do not come back together; and not before the
 * time that the server asked for.
 */
export function retryDelayMs(
  attempt: number,
  failure: Pick<Failure, "retryAfterMs">,
  retries: Retries,
  random: () => number,
): Millis {
  const full = Math.min(retries.longestDelayMs, retries.firstDelayMs * 2 ** (attempt - 1));
  const jittered = full * (0.5 + random() / 2);
  const asked = failure.retryAfterMs ?? 0;
  return Math.round(asked > 0 ? asked + jittered / 2 : jittered);
}

/**
 * Tries until `delayAfter` knows of no wait after which to try again, or the signal ends the wait. Returns the last
 * outcome.
 */
export async function tryAgain<Outcome>(
  attempt: () => Promise<Outcome>,
  delayAfter: (outcome: Outcome, tries: number) => Millis | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  let last = await attempt();
  let delayMs = delayAfter(last, 1);
  // Most end here, and setting up retries costs more than the rest of a good read.
  if (delayMs === undefined) return last;
  try {
    await pRetry(
      async (tries) => {
        if (tries > 1) {
          delayMs = undefined;
          last = await attempt();
          delayMs = delayAfter(last, tries);
        }
        if (delayMs !== undefined) throw new Error("to be tried again");
      },
      {
        retries: Infinity,
        minTimeout: 0,
        signal,
        shouldRetry: async () => delayMs !== undefined && (await pause(delayMs, signal)),
      },
    );
  } catch (error) {
    // Only the error above and our own abort come here; anything else is a bug.
    if (delayMs === undefined && !signal.aborted) throw error;
  }
  return last;
}

/**
 * Reads, with retries if they may help. If the wait would pass the deadline, it returns the last failure at once, which
 * says more than a time-out. Never for actions.
 */
export async function retryRead<Value>(
  attempt: () => Promise<Result<Value, Failure>>,
  options: {
    readonly retries: Retries;
    readonly signal: AbortSignal;
    readonly deadlineAt?: Instant | undefined;
    readonly clock: Clock;
    readonly random: () => number;
    /** Whether a failure that may pass is tried again now; by default each is. */
    readonly mayRetry?: (failure: Failure) => boolean;
    /** Whether the last try was held back and not sent. Until the deadline, such a one does not count. */
    readonly wasHeld?: () => boolean;
  },
): Promise<Result<Value, Failure>> {
  const { retries, signal, deadlineAt = Infinity, clock, random, mayRetry, wasHeld } = options;
  if (signal.aborted) return fail({ reason: "internal", message: "never asked" });
  let held = 0;
  const delayAfter = (last: Result<Value, Failure>, all: number): Millis | undefined => {
    if (last.ok || !isRetryable(last.problem)) return undefined;
    const isHeld = wasHeld?.() === true;
    if (isHeld && deadlineAt < Infinity) held += 1;
    const tries = all - held;
    // What was held back is no load, and may wait for the end of the pause at any pace.
    if (!isHeld && mayRetry?.(last.problem) === false) return undefined;
    if (tries > retries.limit) return undefined;
    const delayMs = retryDelayMs(tries, last.problem, retries, random);
    return clock.now() + delayMs < deadlineAt ? delayMs : undefined;
  };
  return await tryAgain(attempt, delayAfter, signal);
}
