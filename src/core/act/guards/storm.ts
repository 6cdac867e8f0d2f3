import type { LedgerEntry } from "../../state.ts";
import { EVERYWHERE, RAMP_STEPS, rampStep, stormKey } from "../storm.ts";
import { object, pass, type Guard } from "./guard.ts";

export const storm: Guard = {
  objectsIf:
    "more entities are bad at once than the rule's `storm` allows; after a storm, a hold or the kill switch, the actions of the current interval are used up (1, then 2, then 4 …)",
  ask: ({ state, policy, rule, entity, at }) => {
    const { storm: storms } = state.tables;
    const { rampIntervalMs } = policy.acting;
    const own = stormKey(rule.alert, entity.aggregator);
    const standing = storms.get(own);
    if (standing !== undefined && standing.clearedAt === undefined) {
      return object(() => standing.detail, "event");
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
    return pass(() => `${state.bad.get(own)?.size ?? 0} bad at once`, "event");
  },
};
