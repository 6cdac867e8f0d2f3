import { fail, type Result } from "../../../domain/result.ts";

/** Why there is no answer just now. */
export const BUSY = "too many look at the past in different ways; try again in a moment";

/** So many callers may wait for what is not made yet. */
const MOST_WAITING = 6;

/** Makes what is asked for once for all who ask at the same time, and keeps the last few. */
export function createKept<Of extends string | number, Value>(
  most: number,
  make: (of: Of) => Promise<Result<Value, string>>,
): (of: Of) => Promise<Result<Value, string>> {
  const kept = new Map<Of, Promise<Result<Value, string>>>();
  const waiting = new Set<Of>();
  const begin = async (of: Of): Promise<Result<Value, string>> => {
    waiting.add(of);
    try {
      const made = await make(of);
      if (!made.ok) kept.delete(of);
      return made;
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
