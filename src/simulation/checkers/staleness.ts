import { pollerKey } from "../../domain/lease.ts";
import { formatDuration, formatInstant, SECOND } from "../../domain/time.ts";
import type { ObservedEntities } from "../ledger/observed-entities.ts";
import type { Step } from "../run-event.ts";
import { on } from "./checker.ts";

/** The core may count from the first request of a poll, and this checker from another. */
const SLACK = 10 * SECOND;

/**
 * A poller that has read nothing for longer than `stale_after` is stale, and its entities are unknown.
 * Time in which it could not poll does not count. Checked at every tick.
 */
export const staleness = on("tick", "5 staleness", (step, { observed, polls }) => {
  const { state, stampedAt: at } = step;
  const found: string[] = [];
  for (const { name, pollers } of step.policy.aggregators) {
    for (const one of pollers) {
      const { name: poller, staleAfterMs } = one;
      const key = pollerKey(name, one);
      const row = state.tables.entity.get(key);
      if (row === undefined) {
        found.push(`the poller ${key} is in no table at ${formatInstant(at)}`);
        continue;
      }
      const successAt = polls.successAt.get(`${name}/${poller}`) ?? 0;
      const since = Math.max(successAt, observed.startedAt, row.firstSeen);
      if (at - since <= staleAfterMs) continue;
      const ownMs = at - since - observed.gapMsSince(since);
      const age = `${formatDuration(at - since)} after its last success (stale_after is ${formatDuration(staleAfterMs)})`;
      const isStale = row.facts["stale"] === true;
      if (isStale && ownMs < staleAfterMs - SLACK)
        found.push(
          `the poller ${key} is stale ${age}, and could poll for ${formatDuration(ownMs)}`,
        );
      if (!isStale && ownMs > staleAfterMs) found.push(`the poller ${key} is not stale ${age}`);
      found.push(...knownStill(step, observed, `${name}/${poller}/`, staleAfterMs, age));
    }
  }
  return found;
});

/** Entities that are not unknown, though their surface was read too long ago. */
function knownStill(
  { state, stampedAt: at }: Step,
  observed: ObservedEntities,
  prefix: string,
  staleAfterMs: number,
  age: string,
): string[] {
  const found: string[] = [];
  for (const [surface, keys] of state.entitiesBySurface) {
    if (!surface.startsWith(prefix)) continue;
    const askedAt = observed.surface(surface)?.askedAt;
    if (askedAt === undefined || at - askedAt <= staleAfterMs) continue;
    for (const key of keys) {
      const row = state.tables.entity.get(key);
      if (row === undefined || row.kind === "poller" || row.unknownSince !== undefined) continue;
      found.push(`${key} is taken for known at ${formatInstant(at)}, ${age}`);
    }
  }
  return found;
}
