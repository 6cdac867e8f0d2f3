import { formatDuration, type Instant, type Millis } from "../../domain/time.ts";
import { put, remove, touch, type Draft } from "../draft.ts";
import type { Storm } from "../state.ts";
import { countStorm, parseStormKey, stormKey, stormText } from "./storm-count.ts";

/**
 * Storm: more entities are bad at once, or became bad one after another, than a rule may repair, so something
 * larger is wrong, and a machine that repairs one after the other would hide or worsen it. Acting stops until
 * fewer count, and then grows slowly, so that recovery is not a stampede.
 */

/** The ramp after a hold or a kill switch, for all rules. */
export const EVERYWHERE = stormKey("*", "*");

/** The intervals in which acting grows: 1, 2, 4, 8, 16 and 32 actions. Then it is free again. */
export const RAMP_STEPS = 6;

/**
 * Begins and clears storms, and ends ramps that are over. Alerts may have moved, and the limits or the number of
 * entities, of which the bad ones are a part, may have changed.
 */
export function updateStorms(draft: Draft): void {
  const { at } = draft;
  const { tables, bad } = draft.state;
  const { rampIntervalMs } = draft.policy.acting;
  for (const key of new Set([...bad.keys(), ...tables.became_bad.keys(), ...tables.storm.keys()])) {
    const storm = tables.storm.get(key);
    const count = countStorm(draft.policy, draft.state, key, at);
    if (count !== undefined && count.counted > count.most) {
      if (storm === undefined || storm.clearedAt !== undefined) begin(draft, key, stormText(count));
    } else if (storm !== undefined) {
      if (storm.clearedAt === undefined) clear(draft, key, storm);
      else if (rampStep(storm.clearedAt, at, rampIntervalMs) >= RAMP_STEPS) end(draft, key, storm);
    }
  }
}

/** Acting grows again from one action: after a hold or a kill switch has ended. */
export function startRamp(draft: Draft, detail: string): void {
  const { at } = draft;
  const ramp: Storm = { rule: "*", aggregator: "*", since: at, clearedAt: at, detail };
  put(draft, "storm", EVERYWHERE, ramp);
}

/** What a ramp means to the operator who began it, and how long it takes. */
export function rampText({ policy }: Pick<Draft, "policy">): string {
  const length = formatDuration(RAMP_STEPS * policy.acting.rampIntervalMs);
  return `so that what waited is not sent all at once, acting of all rules grows from one action for the next ${length}`;
}

/** The interval of the ramp, from 0. Interval n allows 2 to the power of n actions. */
export function rampStep(clearedAt: Instant, at: Instant, intervalMs: Millis): number {
  return Math.floor((at - clearedAt) / intervalMs);
}

function begin(draft: Draft, key: string, detail: string): void {
  const { rule, aggregator } = parseStormKey(key);
  put(draft, "storm", key, { rule, aggregator, since: draft.at, detail });
  draft.findings.push({ type: "storm", change: "began", rule, aggregator, detail });
}

function clear(draft: Draft, key: string, storm: Storm): void {
  storm.clearedAt = draft.at;
  storm.detail = "a storm has cleared";
  touch(draft, "storm", key);
  const { rule, aggregator } = storm;
  const detail = "fewer are bad; acting grows from one action";
  draft.findings.push({ type: "storm", change: "ends_soon", rule, aggregator, detail });
}

function end(draft: Draft, key: string, { rule, aggregator }: Storm): void {
  remove(draft, "storm", key);
  const detail = "acting is as free as before";
  draft.findings.push({ type: "storm", change: "ended", rule, aggregator, detail });
}
