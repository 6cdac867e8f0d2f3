import type { Alert } from "../domain/alert.ts";
import { entityKey, type Entity } from "../domain/entity.ts";
import { surfaceKey } from "../domain/observation.ts";
import type { Rule, RuleAction } from "../domain/rule.ts";
import type { Policy, WatchedPoller } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import { cooldownAfter } from "../core/act/guards.ts";
import { REMINDER } from "../core/change/holds.ts";
import { longestWindow, probeInterval } from "../core/act/settle.ts";
import type { State } from "../core/state.ts";
import { RAMP_STEPS } from "../core/act/storm.ts";
import { scopeOf } from "../core/judge/verdict.ts";

/**
 * The first instant at which a tick may change anything, if no other event comes before. Ticks earlier
 * than that may be left out, which is what makes a replay quick. It is never too late, and may be too
 * early: all that the core decides by time compares the instant with a bound, so the next of all bounds
 * will do. What cannot be bounded gives the very next millisecond, and every tick then takes place.
 *
 * It holds where the last tick, at `after`, changed nothing, and nothing that a tick decides by has
 * changed since.
 */
export function nextStir(
  policy: Policy,
  state: State,
  after: Instant,
  acting: Acting = nextActing(policy, state, after),
): Instant {
  const bounds = new Bounds(after);
  bounds.add(acting.next);
  // Timers that were set anew leave old ones behind; they only make it earlier.
  bounds.add(state.timers.heap[0]?.at);
  addStaleness(policy, state, bounds);
  addStandings(state, bounds);
  addRepairs(policy, state, bounds);
  return bounds.next;
}

/** What the guards say of the alerts that fire and want their remediation. */
export type Acting = {
  /** When they may say something else, if no other event comes before. */
  readonly next: Instant;
  /** A guard waits for a reading: what is read as before, only anew, may change what it says. */
  readonly waitsForReading: boolean;
};

/**
 * It stands, but for being too early, while readings tell nothing new: surfaces are only ever read
 * later, and so are too old only later.
 */
export function nextActing(policy: Policy, state: State, after: Instant): Acting {
  const bounds = new Bounds(after);
  let waitsForReading = false;
  for (const key of state.firing) {
    const alert = state.tables.alert.get(key);
    const rule = policy.rules.get(alert?.rule ?? "");
    if (alert === undefined || rule?.act === undefined) continue;
    const reason = alert.suppressed?.reason;
    waitsForReading ||= reason === "stale" || reason === "starting";
    addActing(policy, state, { alert, rule, act: rule.act }, bounds);
  }
  return { next: bounds.next, waitsForReading };
}

/** The least of those that are still to come. */
class Bounds {
  next: Instant = Infinity;
  readonly now: Instant;

  constructor(now: Instant) {
    this.now = now;
  }

  add(at: Instant | undefined): void {
    if (at !== undefined && at > this.now && at < this.next) this.next = at;
  }

  /** It cannot be told. */
  addNow(): void {
    this.next = this.now + 1;
  }
}

/** Pollers that become stale, and surfaces of those that are. */
function addStaleness(policy: Policy, state: State, bounds: Bounds): void {
  for (const { name, pollers } of policy.aggregators) {
    for (const poller of pollers) {
      const key = entityKey({ aggregator: name, kind: "poller", id: poller.name });
      const entity = state.tables.entity.get(key);
      if (entity === undefined) continue;
      const lastSuccess = Number(entity.facts["last_success"] ?? Number.NEGATIVE_INFINITY);
      const since = Math.max(lastSuccess, state.startedAt, entity.firstSeen);
      bounds.add(since + poller.staleAfterMs + 1);
      if (bounds.now - since > poller.staleAfterMs) addStaleSurfaces(state, name, poller, bounds);
    }
  }
}

function addStaleSurfaces(
  state: State,
  aggregator: string,
  { name, staleAfterMs }: WatchedPoller,
  bounds: Bounds,
): void {
  const prefix = surfaceKey(aggregator, name, "");
  for (const [key, { askedAt = 0 }] of state.surfaces) {
    if (key.startsWith(prefix)) bounds.add(askedAt + staleAfterMs + 1);
  }
}

/** What stands until an instant that it names. */
function addStandings({ tables, confirming }: State, bounds: Bounds): void {
  for (const { until } of tables.hold.values()) {
    bounds.add(until - REMINDER);
    bounds.add(until);
  }
  for (const { until } of tables.silence.values()) bounds.add(until);
  for (const { expiresAt } of tables.proposal.values()) bounds.add(expiresAt);
  // How long a confirmation waits is looked at by ticks alone.
  if (confirming.size > 0) bounds.addNow();
}

/** What was sent: looked after, settled, and forgotten. */
function addRepairs(policy: Policy, state: State, bounds: Bounds): void {
  const { tables, unsettled } = state;
  for (const id of unsettled.values()) {
    const remediation = tables.remediation.get(id);
    if (remediation === undefined) continue;
    bounds.add(remediation.settleBy);
    const lookedAt = remediation.lastProbeAt ?? remediation.requestedAt;
    bounds.add(lookedAt + probeInterval(remediation));
  }
  if (tables.remediation.size + tables.attempt.size > 0) {
    const keptMs = Math.max(policy.remediationRetentionMs, longestWindow({ policy })) + 1;
    for (const { requestedAt } of tables.remediation.values()) bounds.add(requestedAt + keptMs);
    for (const { lastAt } of tables.attempt.values()) bounds.add(lastAt + keptMs);
  }
  for (const { clearedAt } of tables.storm.values()) {
    if (clearedAt === undefined) continue;
    for (let step = 1; step <= RAMP_STEPS; step += 1) {
      bounds.add(clearedAt + step * policy.acting.rampIntervalMs);
    }
  }
}

type Wanting = { readonly alert: Alert; readonly rule: Rule; readonly act: RuleAction };

/** The guards of an alert that fires and wants its remediation. */
function addActing(
  policy: Policy,
  state: State,
  { alert, rule, act }: Wanting,
  bounds: Bounds,
): void {
  const { acting } = policy;
  const of = entityKey(alert.entity);
  const entity = state.tables.entity.get(of);
  if (entity === undefined) return;
  addConditions(rule, act, entity, bounds);
  bounds.add(state.startedAt + acting.settleAfterStartMs);
  const askedAt = state.surfaces.get(entity.surface)?.askedAt;
  if (askedAt !== undefined) bounds.add(askedAt + acting.maxAgeMs + 1);
  const attempt = state.tables.attempt.get(of);
  if (attempt !== undefined) {
    bounds.add(attempt.lastAt + cooldownAfter(act.cooldownMs, attempt.failures));
  }
  const budgets = [act.budget, acting.budgetByAction[act.action], acting.budget];
  for (const { at } of state.ledger) {
    for (const budget of budgets) if (budget !== undefined) bounds.add(at + budget.perMs);
  }
}

/** Both are asked at every tick, and not only when their timer says that they may have flipped. */
function addConditions(rule: Rule, act: RuleAction, entity: Entity, bounds: Bounds): void {
  for (const condition of [rule.when, act.condition]) {
    if (condition?.readsTime !== true) continue;
    if (condition.nextFlip === undefined || rule.windows.length > 0) bounds.addNow();
    else bounds.add(condition.nextFlip(scopeOf(rule, entity, bounds.now)));
  }
}
