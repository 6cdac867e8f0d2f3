import type { Result } from "../../domain/result.ts";
import type { LeaseStore } from "../../io/postgres/lease-store.ts";
import type { Logger } from "../../io/process/log.ts";

/** A cut connection fails only one question, as the next gets a new connection. */
const LOGGED_AFTER = 2;

/**
 * The same store, which logs when it begins to fail, when it fails for another reason, and when it answers again: once
 * each, not each time.
 */
export function loggedLeases(
  { take, renew, release }: LeaseStore,
  log: Pick<Logger, "info" | "warn">,
): LeaseStore {
  let failures = 0;
  let last: string | undefined;
  let logged: string | undefined;
  const failed = (detail: string): void => {
    failures = logged === undefined || detail === last ? failures + 1 : 1;
    last = detail;
    if (failures < LOGGED_AFTER || detail === logged) return;
    log.warn({ detail }, "the database cannot be used");
    logged = detail;
  };
  const note = <Value>(answer: Result<Value, string>): Result<Value, string> => {
    if (!answer.ok) failed(answer.problem);
    else {
      if (logged !== undefined) log.info("the database can be used again");
      [failures, last, logged] = [0, undefined, undefined];
    }
    return answer;
  };
  return {
    take: async (owner, isSparing) => note(await take(owner, isSparing)),
    renew: async (owner, epoch) => note(await renew(owner, epoch)),
    release,
  };
}
