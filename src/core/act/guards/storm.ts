import type { LedgerEntry } from "../../state.ts";
import { countStorm, stormKey, stormText } from "../storm-count.ts";
import { EVERYWHERE, RAMP_STEPS, rampStep } from "../storm.ts";
import { formatDuration } from "../../../domain/time.ts";
import { object, pass, type Answer, type Guard, type GuardContext } from "./guard.ts";

export const storm: Guard = {
  objectsIf:
    "more entities are bad at once, or became bad within `within`, than the rule's `storm` allows; or, after a storm, a hold or the kill switch, the actions of the current interval are used up (1, then 2, then 4 …)",
  ask: ({ state, policy, rule, entity, at }) => {
    const { storm: storms } = state.tables;
    const { rampIntervalMs } = policy.acting;
    const own = stormKey(rule.alert, entity.aggregator);
    const storm = storms.get(own);
    if (storm !== undefined && storm.clearedAt === undefined) {
      return ofLasting(storm.detail, own, { policy, state, at });
    }
    for (const key of [own, EVERYWHERE]) {
      const ramp = storms.get(key);
      if (ramp?.clearedAt === undefined) continue;
      const step = rampStep(ramp.clearedAt, at, rampIntervalMs);
      if (step >= RAMP_STEPS) continue;
      const from = ramp.clearedAt + step * rampIntervalMs;
      const counts = (entry: LedgerEntry): boolean =>
        entry.at >= from && (key === EVERYWHERE || stormKey(entry.rule, entry.aggregator) === key);
      const sent = state.ledger.filter(counts).length;
      if (sent < 2 ** step) continue;
      return object(
        () => `acting grows slowly: ${sent} of ${2 ** step} sent in this interval (${ramp.detail})`,
        () => from + rampIntervalMs,
      );
    }
    return pass(() => fewText(own, { policy, state, at }), "event");
  },
};

/** It lasts until an event, or until enough alerts have left the window that it clears by time alone. */
function ofLasting(
  detail: string,
  key: string,
  { policy, state, at }: Pick<GuardContext, "policy" | "state" | "at">,
): Answer {
  const count = countStorm(policy, state, key, at);
  // It may already be over between two ticks: the next one clears it.
  if (count === undefined || count.counted <= count.most)
    return object(
      () => detail,
      () => at + 1,
    );
  const { clearsAt } = count;
  return object(() => stormText(count), clearsAt === Infinity ? "event" : () => clearsAt);
}

function fewText(
  key: string,
  { policy, state, at }: Pick<GuardContext, "policy" | "state" | "at">,
): string {
  const count = countStorm(policy, state, key, at);
  if (count === undefined) return "0 bad at once";
  const { bad, counted, most, limit } = count;
  const within =
    limit.withinMs === 0 ? "" : `, ${counted} within ${formatDuration(limit.withinMs)}`;
  return `${bad} bad at once${within}; ${most} may be`;
}
