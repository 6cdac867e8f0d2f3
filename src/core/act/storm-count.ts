import type { Alert } from "../../domain/alert.ts";
import type { Entity } from "../../domain/entity.ts";
import type { RuleAction, StormLimit } from "../../domain/rule.ts";
import type { Policy } from "../../domain/step.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import { put, remove, type Draft } from "../draft.ts";
import { countOf, groupKey } from "../entity-index.ts";
import type { State } from "../state.ts";

/**
 * What counts towards a storm: the alerts of a rule on an aggregator that are bad, and those that became bad within the
 * rule's window. What is repaired as soon as it breaks is never bad at the same time, so that rolling maintenance, or a
 * fault that moves from one to the next, would not be seen by what is bad now.
 */

/** Storms are of one rule on one aggregator. */
export function stormKey(rule: string, aggregator: string): string {
  return `${rule}|${aggregator}`;
}

/** The inverse of `stormKey`. */
export function parseStormKey(key: string): { readonly rule: string; readonly aggregator: string } {
  const bar = key.indexOf("|");
  return { rule: key.slice(0, bar), aggregator: key.slice(bar + 1) };
}

/** One may always be repaired; of few entities no more than the ratio, of many no more than `max`. */
export function mostBad(limit: StormLimit, total: number | undefined): number {
  if (total === undefined) return limit.max;
  return Math.min(limit.max, Math.max(1, Math.floor(total * limit.maxRatio)));
}

/** Counts an alert as bad or not, whenever it has moved. */
export function countBad({ state }: { readonly state: State }, alert: Alert, isGone = false): void {
  const key = stormKey(alert.rule, alert.entity.aggregator);
  const isBad = !isGone && alert.state !== "resolved" && alert.keepFiringSince === undefined;
  const bad = state.bad.get(key);
  if (isBad && bad === undefined) state.bad.set(key, new Set([alert.key]));
  else if (isBad) bad?.add(alert.key);
  else bad?.delete(alert.key);
}

/** If this many became bad, the number of those that are no longer bad is given as at least that. */
const MOST_NUMBERED = 100;

/** Remembers that an alert has become bad. One that flaps is one alert. */
export function noteBecameBad(draft: Draft, alert: Alert): void {
  const limit = draft.policy.rules.get(alert.rule)?.act?.storm;
  if (limit === undefined || limit.withinMs === 0) return;
  const key = stormKey(alert.rule, alert.entity.aggregator);
  const since = draft.state.tables.became_bad.get(key) ?? {};
  // Deleted and set again, so that it is the newest.
  delete since[alert.key];
  since[alert.key] = draft.at;
  // Beyond `max` the oldest can go: those that are left are too many for just as long without it.
  const all = Object.keys(since);
  let spare = all.length - Math.max(limit.max + 1, MOST_NUMBERED);
  for (const one of all) {
    if (spare <= 0 && (since[one] ?? 0) > draft.at - limit.withinMs) break;
    delete since[one];
    spare -= 1;
  }
  put(draft, "became_bad", key, since);
}

/** Forgets what no longer counts, as its rule does not act or all of it is too long ago. */
export function forgetBecameBad(draft: Draft): void {
  const { state, policy, at } = draft;
  for (const key of state.tables.became_bad.keys()) {
    const withinMs = actOf(policy, key)?.act.storm.withinMs ?? 0;
    const since = Object.values(state.tables.became_bad.get(key) ?? {});
    if (!since.some((one) => one > at - withinMs)) remove(draft, "became_bad", key);
  }
}

/** How many count at an instant, and how many may. */
type StormCount = {
  readonly bad: number;
  /** Those that are bad, and those that became bad within the window. */
  readonly counted: number;
  readonly most: number;
  readonly total: number | undefined;
  readonly limit: StormLimit;
  /**
   * When time alone next makes so few of it that it is not a storm: Infinity if those that are bad are too
   * many by themselves, or if it is none.
   */
  readonly clearsAt: Instant;
};

/** Undefined if the rule does not act, or none of its alerts is or was bad. */
export function countStorm(
  policy: Policy,
  state: State,
  key: string,
  at: Instant,
): StormCount | undefined {
  const found = actOf(policy, key);
  if (found === undefined) return undefined;
  const limit = found.act.storm;
  const bad = state.bad.get(key)?.size ?? 0;
  const well = recentlyBad(state, key, limit, at);
  const counted = bad + well.length;
  if (counted === 0) return undefined;
  const { aggregator } = parseStormKey(key);
  const total = totalOf(policy, state, { aggregator, kind: found.kind });
  const most = mostBad(limit, total);
  const excess = counted - most;
  const leaving = excess > 0 ? well[excess - 1] : undefined;
  const clearsAt = leaving === undefined ? Infinity : leaving + limit.withinMs;
  return { bad, counted, most, total, limit, clearsAt };
}

/** The numbers, for people. */
export function stormText({ bad, counted, most, total, limit }: StormCount): string {
  const of = total === undefined ? "" : ` of ${total}`;
  const many = limit.withinMs > 0 && counted >= MOST_NUMBERED ? "at least " : "";
  const what =
    counted === bad
      ? `${bad}${of} are bad at once`
      : `${many}${counted}${of} are bad or became bad within ${formatDuration(limit.withinMs)} (bad now: ${bad})`;
  return `${what}, and no more than ${most} are repaired`;
}

/** When the alerts that are no longer bad but still count became bad, oldest first. */
function recentlyBad(
  state: State,
  key: string,
  { withinMs }: StormLimit,
  now: Instant,
): readonly Instant[] {
  const since = state.tables.became_bad.get(key);
  if (since === undefined) return [];
  const bad = state.bad.get(key);
  const well: Instant[] = [];
  // Ten thousand alerts may each be asked about it.
  for (const alert in since) {
    const at = since[alert];
    if (at !== undefined && at > now - withinMs && bad?.has(alert) !== true) well.push(at);
  }
  return well;
}

function actOf(
  policy: Policy,
  key: string,
): { readonly kind: string; readonly act: RuleAction } | undefined {
  const rule = policy.rules.get(parseStormKey(key).rule);
  return rule?.act === undefined ? undefined : { kind: rule.kind, act: rule.act };
}

/** How many there are, without those that have vanished; undefined for a kind of which only the bad ones are listed. */
export function totalOf(
  policy: Policy,
  state: State,
  of: Pick<Entity, "aggregator" | "kind">,
): number | undefined {
  if (policy.kinds.get(of.kind)?.listsOnlyBad === true) return undefined;
  const group = groupKey(of);
  return countOf(state, group) - (state.vanished.get(group)?.size ?? 0);
}
