import type { Entity, Facts } from "../../domain/entity.ts";
import type { Condition, Rule, Scope, Verdict } from "../../domain/rule.ts";
import type { Instant } from "../../domain/time.ts";
import { describeDoubt, unsureAbout } from "../observe/doubt.ts";
import { windowBounds, windowedFacts } from "../observe/entity-windows.ts";
import type { State } from "../state.ts";

/** What a rule says of an entity: for judging, for the guards, and for explanations. */

/** Whether a rule judges what an aggregator has. */
export function judges(rule: Pick<Rule, "aggregators">, aggregator: string): boolean {
  return rule.aggregators === undefined || rule.aggregators.includes(aggregator);
}

/** What a rule's expressions may read of an entity. */
export function scopeOf(rule: Pick<Rule, "windows">, entity: Entity, now: Instant): Scope {
  const { aggregator, kind, firstSeen, since } = entity;
  const facts: Facts = { ...entity.facts, first_seen: firstSeen, since };
  if (rule.windows.length === 0) return { aggregator, kind, facts, now };
  const windowed = windowedFacts(rule, entity, now);
  const bounds = windowBounds(rule, entity, now, windowed);
  return { aggregator, kind, facts: { ...facts, ...windowed }, now, bounds };
}

/** What a rule says of an entity now; if nothing sure is known of the entity, its condition is not judged. */
export function verdictOf(state: State, rule: Rule, entity: Entity, now: Instant): Verdict {
  if (entity.unknownSince !== undefined) return { truth: "unknown", reason: "no sure reading" };
  const verdict = rule.when.judge(scopeOf(rule, entity, now));
  if (verdict.truth !== "ok") return verdict;
  // Alerts fail open: contradictory or partial evidence may raise one, and resolves none.
  const doubt = unsureAbout(state, entity);
  return doubt === undefined ? verdict : { truth: "unknown", reason: describeDoubt(doubt) };
}

/**
 * The next instant at which time alone may flip a condition of a rule: Infinity if it never does, and
 * the next millisecond if that is not known.
 */
export function flipsAt(rule: Rule, condition: Condition, entity: Entity, now: Instant): Instant {
  if (!condition.readsTime) return Infinity;
  if (condition.nextFlip === undefined || rule.windows.length > 0) return now + 1;
  return condition.nextFlip(scopeOf(rule, entity, now));
}
