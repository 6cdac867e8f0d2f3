import type { Result } from "../../domain/result.ts";
import type { LeaseStore } from "../../io/postgres/lease-store.ts";
import type { Logger } from "../../io/process/log.ts";

/** A cut connection fails only one question, as the next gets a new connection. */
const LOGGED_AFTER = 2;

/** The same store, which logs when it begins to fail, and when it answers again: once each, not each time. */
export function loggedLeases(
  { take, renew, release }: LeaseStore,
  log: Pick<Logger, "info" | "warn">,
): LeaseStore {
  let failures = 0;
  const note = <Value>(answer: Result<Value, string>): Result<Value, string> => {
    if (answer.ok && failures >= LOGGED_AFTER) log.info("the database can be used again");
    failures = answer.ok ? 0 : failures + 1;
    if (!answer.ok && failures === LOGGED_AFTER)
      log.warn({ detail: answer.problem }, "the database cannot be used");
    return answer;
  };
  return {
    take: async (owner, isSparing) => note(await take(owner, isSparing)),
    renew: async (owner, epoch) => note(await renew(owner, epoch)),
    release,
  };
}
