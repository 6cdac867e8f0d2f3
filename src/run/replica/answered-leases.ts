import { fail, type Result } from "../../domain/result.ts";
import { formatDuration, type Millis } from "../../domain/time.ts";
import type { LeaseStore } from "../../io/postgres/lease-store.ts";

/**
 * The same store with a limit on how long an answer may take. A database that works answers or fails much sooner;
 * without a limit, an answer that never comes would be waited for. A lease that arrives too late is given back.
 */
export function answeredLeases({ take, renew, release }: LeaseStore, withinMs: Millis): LeaseStore {
  const within = async <Value>(
    asked: Promise<Result<Value, string>>,
  ): Promise<Result<Value, string>> => {
    const { promise: none, resolve } = Promise.withResolvers<Result<never, string>>();
    const detail = `a question was not answered for ${formatDuration(withinMs)}`;
    const timer = setTimeout(() => resolve(fail(detail)), withinMs);
    const answer = await Promise.race([asked, none]);
    clearTimeout(timer);
    return answer;
  };
  const giveBackLater = async (owner: string, asked: ReturnType<typeof take>): Promise<void> => {
    const late = await asked;
    if (late.ok && late.value.taken) await release(owner, late.value.epoch);
  };
  return {
    take: async (owner, isSparing) => {
      const asked = take(owner, isSparing);
      const answer = await within(asked);
      if (!answer.ok) void giveBackLater(owner, asked);
      return answer;
    },
    renew: async (owner, epoch) => await within(renew(owner, epoch)),
    release: async (owner, epoch) => await within(release(owner, epoch)),
  };
}
