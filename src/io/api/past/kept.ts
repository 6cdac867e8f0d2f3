import { fail, type Result } from "../../../domain/result.ts";

/**
 * Why a read is not answered: nothing is known of it, it is not kept as of that instant, too much is asked at once, or
 * the query names what is not.
 */
export type Refusal =
  | { readonly status: 404 | 410 | 503; readonly error: string }
  | { readonly status: 400; readonly problems: string[] };

const BUSY: Refusal = {
  status: 503,
  error: "too many clients ask for different instants; try again in a moment",
};

/** So many callers may wait for what is not made yet. */
const MOST_WAITING = 6;

/**
 * Makes what is asked for once for all who ask at the same time, and keeps the last few. A problem that is a text is why
 * it is not kept.
 */
export function createKept<Of extends string | number, Value>(
  most: number,
  make: (of: Of) => Promise<Result<Value, string | Refusal>>,
): (of: Of) => Promise<Result<Value, Refusal>> {
  const kept = new Map<Of, Promise<Result<Value, Refusal>>>();
  const waiting = new Set<Of>();
  const begin = async (of: Of): Promise<Result<Value, Refusal>> => {
    waiting.add(of);
    try {
      const made = await make(of);
      if (made.ok) return made;
      kept.delete(of);
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
    // The last that was asked for is the last to go.
    kept.delete(of);
    kept.set(of, made);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return await made;
  };
}
