import { alertKey } from "../../domain/alert.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Event, RuleChanges } from "../../domain/step.ts";
import { toEnd, type Slices } from "../../domain/slices.ts";
import { touch, type Draft } from "../draft.ts";
import { clearJudgeTimersBy } from "../judge/alert-timers.ts";
import { describe } from "../judge/alert-text.ts";
import { judge, judgeAffected, adoptAlerts } from "../judge/judge.ts";
import { becomeUnknown, newAffected, type Affected } from "../observe/entity-life.ts";
import { expectPollers } from "../observe/poller-health.ts";
import { withdraw } from "../act/propose.ts";
import { leaveOutBeyondLimits } from "./lower-limits.ts";
import { leaveMoved } from "./moved.ts";
import { adoptQuarantines } from "../act/tug-of-war.ts";
import { forgetUnwatched, isDerived, isWatched } from "../start.ts";
import { forgetAllApplied } from "../observe/unchanged-listing.ts";
import { endUnplanned } from "../observe/unplanned.ts";
import { forgetUndecidedBy } from "../judge/coverage.ts";
import { judges, verdictOf } from "../judge/verdict.ts";
import { forgetSurface } from "../observe/unchanged-listing.ts";

/**
 * Other rules and settings while it runs. An alert belongs to its rule's name, as in Prometheus: if the
 * rule is unchanged, so is the alert; if it has changed, the alert is judged again and keeps its run if it
 * is still bad; if it is gone, the alert is resolved. Remediations that were sent are followed to their
 * end, even if their rule is gone.
 */
export function* adoptPolicy(
  draft: Draft,
  { rulesBefore, moved, reload }: Extract<Event, { type: "policy_changed" }>,
): Slices {
  const changes = ruleChanges(rulesBefore, draft.policy.rules);
  draft.findings.push({
    type: "policy",
    ...changes,
    ...(moved.length === 0 ? {} : { moved: [...moved] }),
    ...(reload === undefined ? {} : { reload }),
  });
  forgetAllApplied(draft.state);
  const affected = adoptAggregators(draft, moved);
  yield* leaveOutBeyondLimits(draft, affected);
  adoptAlerts(draft);
  const outdated = [...changes.removed, ...changes.changed];
  forgetUndecidedBy(draft.state, outdated);
  clearJudgeTimersBy(draft, outdated);
  yield* judgeAffected(draft, affected);
  for (const name of changes.changed) withdrawProposals(draft, name);
  for (const name of [...changes.added, ...changes.changed]) {
    const rule = draft.policy.rules.get(name);
    if (rule !== undefined) judgeAll(draft, rule);
  }
  adoptQuarantines(draft);
}

/**
 * Ends what is no longer watched, and expects what is new. Gives the affected entities, whose alerts are not judged yet.
 */
export function adoptAggregators(draft: Draft, moved: readonly string[]): Affected {
  const affected = newAffected();
  toEnd(forgetUnwatched(draft, affected));
  toEnd(endUnplanned(draft, affected));
  forgetSurfaces(draft, moved);
  leaveMoved(draft, moved);
  for (const aggregator of moved) markAggregatorUnknown(draft, aggregator, affected);
  expectPollers(draft, affected, "added");
  return affected;
}

/** How the rules change when those before are replaced; `before` is hash by name. */
export function ruleChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, Rule>,
): RuleChanges {
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)?.hash),
  };
}

/** The hash of each rule by its name. */
export function ruleHashes(rules: ReadonlyMap<string, Rule>): ReadonlyMap<string, string> {
  return new Map([...rules].map(([name, { hash }]): [string, string] => [name, hash]));
}

function judgeAll(draft: Draft, rule: Rule): void {
  const { tables, entitiesByKind } = draft.state;
  for (const key of entitiesByKind.get(rule.kind) ?? []) {
    const entity = tables.entity.get(key);
    if (entity === undefined || !judges(rule, entity.aggregator)) continue;
    const alert = tables.alert.get(alertKey(rule.alert, key));
    if (alert !== undefined && alert.state !== "resolved") {
      alert.severity = rule.severity;
      touch(draft, "alert", alert.key);
      // An alert that is no longer bad keeps the texts that described what was.
      if (verdictOf(draft.state, rule, entity, draft.at).truth === "bad") {
        describe(alert, rule, entity, draft.at);
      }
    }
    judge(draft, rule, key, entity);
    // The guards are asked again about the new rule's action.
    if (alert !== undefined) delete alert.suppressed;
  }
}

/** Withdraws the proposals of a rule that does another thing now; a denial stays unless the action is another. */
function withdrawProposals(draft: Draft, rule: string): void {
  const action = draft.policy.rules.get(rule)?.act?.action;
  for (const [key, proposal] of draft.state.tables.proposal) {
    if (proposal.rule !== rule) continue;
    if (proposal.denial !== undefined && (action ?? proposal.action) === proposal.action) continue;
    withdraw(draft, key, "the rule was changed");
  }
}

/** The aggregator has another address: what was read at the old one is unknown at the new one. */
function markAggregatorUnknown(draft: Draft, aggregator: string, affected: Affected): void {
  for (const [key, entity] of draft.state.tables.entity) {
    // What is known of our own polls and repairs was never read from there.
    const isOwn = entity.kind === "poller" || isDerived(draft.policy, entity.kind);
    if (entity.aggregator === aggregator && !isOwn) {
      becomeUnknown(draft, key, affected);
    }
  }
}

/** Forgets how the surfaces of pollers that are off, and of aggregators that have moved, were read. */
function forgetSurfaces(draft: Draft, moved: readonly string[]): void {
  const watched = isWatched(draft.policy);
  for (const aggregator of moved) draft.state.moved.add(aggregator);
  for (const [key, { aggregator, poller }] of draft.state.surfaces) {
    if (!watched(aggregator, poller) || moved.includes(aggregator)) {
      forgetSurface(draft.state, key);
    }
  }
}
