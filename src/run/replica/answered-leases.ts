import { fail, type Result } from "../../domain/result.ts";
import { formatDuration, type Millis } from "../../domain/time.ts";
import type { LeaseStore } from "../../io/postgres/lease-store.ts";

/**
 * The same store, each of whose questions has an answer: a database that can be asked answers, or fails to, much sooner,
 * and without this, an answer that never comes would be waited for. A lease that is given later is given back.
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
    take: async (owner) => {
      const asked = take(owner);
      const answer = await within(asked);
      if (!answer.ok) void giveBackLater(owner, asked);
      return answer;
    },
    renew: async (owner, epoch) => await within(renew(owner, epoch)),
    release: async (owner, epoch) => await within(release(owner, epoch)),
  };
}
