import type { Alert } from "../../domain/alert.ts";
import type { StormLimit } from "../../domain/rule.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { put, remove, touch, type Draft } from "../draft.ts";
import type { Storm } from "../state.ts";

/**
 * Storm: more entities are bad at once than a rule may repair, so something larger is wrong, and a
 * machine that repairs one after the other would hide or worsen it. Acting stops until fewer are bad,
 * and then grows slowly, so that recovery is not a stampede.
 */

/** Storms are of one rule on one aggregator. */
export function stormKey(rule: string, aggregator: string): string {
  return `${rule}|${aggregator}`;
}

/** The ramp that follows on a hold or a kill switch, for all rules. */
export const EVERYWHERE = stormKey("*", "*");

/** The intervals in which acting grows: 1, 2, 4, 8, 16 and 32 actions. Then it is free again. */
export const RAMP_STEPS = 6;

/** One may always be repaired; of few entities no more than the ratio, of many no more than `max`. */
export function mostBad(limit: StormLimit, total: number | undefined): number {
  if (total === undefined) return limit.max;
  return Math.min(limit.max, Math.max(1, Math.floor(total * limit.maxRatio)));
}

/** Counts an alert as bad or not, whenever it has moved. */
export function countBad(draft: Draft, alert: Alert, isGone = false): void {
  const key = stormKey(alert.rule, alert.entity.aggregator);
  const isBad = !isGone && alert.state !== "resolved" && alert.keepFiringSince === undefined;
  const bad = draft.state.bad.get(key);
  if (isBad && bad === undefined) draft.state.bad.set(key, new Set([alert.key]));
  else if (isBad) bad?.add(alert.key);
  else bad?.delete(alert.key);
  draft.stormsToCheck.add(key);
}

/**
 * Begins and clears storms, and ends ramps that are over: if an alert has moved, or of all rules, as
 * when their limits have changed.
 */
export function updateStorms(draft: Draft, which: "moved" | "all" = "moved"): void {
  const { at } = draft;
  const { tables, bad } = draft.state;
  const { rampIntervalMs } = draft.policy.acting;
  const others = which === "all" ? bad.keys() : [];
  for (const key of new Set([...draft.stormsToCheck, ...others, ...tables.storm.keys()])) {
    const storm = tables.storm.get(key);
    const excess = excessOf(draft, key);
    if (excess !== undefined) {
      if (storm === undefined || storm.clearedAt !== undefined) begin(draft, key, excess);
    } else if (storm !== undefined) {
      if (storm.clearedAt === undefined) clear(draft, key, storm);
      else if (rampStep(storm.clearedAt, at, rampIntervalMs) >= RAMP_STEPS) end(draft, key, storm);
    }
  }
}

/** Acting grows anew from one action: after a hold or a kill switch has ended. */
export function startRamp(draft: Draft, detail: string): void {
  const { at } = draft;
  const ramp: Storm = { rule: "*", aggregator: "*", since: at, clearedAt: at, detail };
  put(draft, "storm", EVERYWHERE, ramp);
}

/** Which interval of the ramp it is, from 0; 2 to the power of it is how many actions it allows. */
export function rampStep(clearedAt: Instant, at: Instant, intervalMs: Millis): number {
  return Math.floor((at - clearedAt) / intervalMs);
}

/** How many are too many, in words; undefined if they are not. */
function excessOf(draft: Draft, key: string): string | undefined {
  const bad = draft.state.bad.get(key)?.size ?? 0;
  const [name = "", aggregator = ""] = key.split("|");
  const rule = draft.policy.rules.get(name);
  if (rule?.act === undefined || bad === 0) return undefined;
  const total = totalOf(draft, rule.kind, aggregator);
  const most = mostBad(rule.act.storm, total);
  if (bad <= most) return undefined;
  const of = total === undefined ? "" : ` of ${total}`;
  return `${bad}${of} are bad at once, and no more than ${most} are repaired`;
}

/** How many are known; undefined for a kind of which only the bad ones are listed. */
function totalOf(draft: Draft, kind: string, aggregator: string): number | undefined {
  if (draft.policy.kinds.get(kind)?.listsOnlyBad === true) return undefined;
  let total = 0;
  for (const key of draft.state.entitiesByKind.get(kind) ?? []) {
    if (key.startsWith(`${aggregator}/`)) total += 1;
  }
  return total;
}

function begin(draft: Draft, key: string, detail: string): void {
  const [rule = "", aggregator = ""] = key.split("|");
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
