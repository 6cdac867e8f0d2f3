import { pollerKey } from "../domain/lease.ts";
import { surfaceKey } from "../domain/observation.ts";
import type { Policy, WatchedPoller } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import { REMINDER } from "../core/change/holds.ts";
import { longestWindow, probeInterval, stillCounts } from "../core/act/settle.ts";
import type { State } from "../core/state.ts";
import { countStorm } from "../core/act/storm-count.ts";
import { attendedMs } from "../core/observe/resume.ts";
import { RAMP_STEPS } from "../core/act/storm.ts";
import { asksAllAt } from "../core/act/waiting.ts";
import { nextDue } from "../core/timers.ts";

/**
 * The first instant at which a tick may change anything, if no other event comes before. Earlier ticks may be left out,
 * which makes a replay fast. The result is never too late, and may be too early: each decision of the core by time
 * compares the instant with a bound, and the result is the next of all bounds. If a decision has no known bound, the
 * result is the next millisecond, so that every tick takes place.
 *
 * It holds if the last tick, at `after`, changed nothing, and no input of a tick has changed since. A result after `by`
 * may be too early.
 */
export function nextWakeUp(policy: Policy, state: State, after: Instant, by: Instant): Instant {
  const bounds = new Bounds(after);
  bounds.add(nextDue(state.timers));
  bounds.add(Math.max(after + 1, asksAllAt(policy, state, by)));
  addStaleness(policy, state, bounds);
  return Math.min(bounds.next, nextForReadings(policy, state, after));
}

/**
 * The same for a reading that shows nothing new. Timers, staleness and guards wait for the tick after their instant;
 * an event does everything else that is due.
 */
export function nextForReadings(policy: Policy, state: State, after: Instant): Instant {
  const bounds = new Bounds(after);
  addExpiries(state, bounds);
  addRepairs(policy, state, bounds);
  addStorms(policy, state, bounds);
  return bounds.next;
}

/** The earliest bound after an instant. */
class Bounds {
  next: Instant = Infinity;
  readonly now: Instant;

  constructor(now: Instant) {
    this.now = now;
  }

  add(at: Instant | undefined): void {
    if (at !== undefined && at > this.now && at < this.next) this.next = at;
  }

  /** For a decision without a known bound. */
  addNow(): void {
    this.next = this.now + 1;
  }
}

/** When pollers become stale, and surfaces of stale pollers. */
function addStaleness(policy: Policy, state: State, bounds: Bounds): void {
  for (const { name, pollers } of policy.aggregators) {
    for (const poller of pollers) {
      const entity = state.tables.entity.get(pollerKey(name, poller));
      if (entity === undefined) continue;
      const lastSuccess = Number(entity.facts["last_success"] ?? Number.NEGATIVE_INFINITY);
      const since = Math.max(lastSuccess, state.startedAt, entity.firstSeen);
      bounds.add(since + poller.staleAfterMs + 1);
      bounds.add(bounds.now + poller.staleAfterMs - attendedMs(state, since, bounds.now) + 1);
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

/** When holds, silences and proposals end, and when a hold's reminder is due. */
function addExpiries({ tables, confirming }: State, bounds: Bounds): void {
  for (const { until } of tables.hold.values()) {
    bounds.add(until - REMINDER);
    bounds.add(until);
  }
  for (const { until } of tables.silence.values()) bounds.add(until);
  for (const { expiresAt } of tables.proposal.values()) bounds.add(expiresAt);
  // Only ticks end an overdue confirmation.
  if (confirming.size > 0) bounds.addNow();
}

/** When remediations are probed again, settled, and deleted. */
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
    for (const [key, { lastAt }] of tables.attempt) {
      if (lastAt + keptMs > bounds.now) bounds.add(lastAt + keptMs);
      else if (!stillCounts({ policy, state }, key)) bounds.addNow();
    }
  }
}

/** When storms clear by time alone, as entities that became bad leave the window, and when ramps end. */
function addStorms(policy: Policy, state: State, bounds: Bounds): void {
  for (const [key, { clearedAt }] of state.tables.storm) {
    const clears = countStorm(policy, state, key, bounds.now)?.clearsAt;
    if (clearedAt === undefined) bounds.add(clears);
    else bounds.add(clearedAt + RAMP_STEPS * policy.acting.rampIntervalMs);
  }
}
