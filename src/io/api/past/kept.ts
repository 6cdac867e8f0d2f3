import { fail, type Result } from "../../../domain/result.ts";
import { SECOND, type Instant, type Millis } from "../../../domain/time.ts";

/**
 * Why a read is refused: nothing is known (404), it is not kept for that instant (410), too many different instants are
 * asked for at once (503), or the query has problems (400).
 */
export type Refusal =
  | { readonly status: 404 | 410 | 503; readonly error: string }
  | { readonly status: 400; readonly problems: string[] };

const BUSY: Refusal = {
  status: 503,
  error: "too many clients ask for different instants; try again in a moment",
};

/**
 * What is found at an instant is in the journal by then, if the journal can be written. A standby reads it there, and
 * cannot hurry the owner to write it.
 */
const OVER_AFTER: Millis = 10 * SECOND;

/** Whether an answer about an instant in the past stays the same. */
export function isOver(at: Instant, now: Instant): boolean {
  return now - at > OVER_AFTER;
}

/** The most answers that are being made at the same time. */
const MOST_WAITING = 6;

/**
 * Makes an answer once for all callers that ask for it at the same time, and keeps the last few of those that last: a
 * question about what is not over is answered again. A problem that is a text says why the past is not kept.
 */
export function createKept<Of extends string | number, Value>(
  most: number,
  make: (of: Of) => Promise<Result<Value, string | Refusal>>,
  /** Asked when an answer begins to be made. */
  lasts: (of: Of) => boolean = () => true,
): (of: Of) => Promise<Result<Value, Refusal>> {
  const kept = new Map<Of, Promise<Result<Value, Refusal>>>();
  const waiting = new Set<Of>();
  const begin = async (of: Of): Promise<Result<Value, Refusal>> => {
    waiting.add(of);
    const isLasting = lasts(of);
    try {
      const made = await make(of);
      if (!made.ok || !isLasting) kept.delete(of);
      if (made.ok) return made;
      const { problem } = made;
      return fail(typeof problem === "string" ? { status: 410, error: problem } : problem);
    } catch (error) {
      kept.delete(of);
      throw error;
    } finally {
      waiting.delete(of);
    }
  };
  return async (of) => {
    const known = kept.get(of);
    if (known === undefined && waiting.size >= MOST_WAITING) return fail(BUSY);
    const made = known ?? begin(of);
    // The answer that was asked for last is dropped last.
    kept.delete(of);
    kept.set(of, made);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return await made;
  };
}
