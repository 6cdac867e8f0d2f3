import { alertKey } from "../../domain/alert.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import { touch, type Draft } from "../draft.ts";
import type { State } from "../state.ts";
import { setUnknown } from "../entity-index.ts";
import { becomeUnknown, newAffected, type Affected } from "./entity-life.ts";
import { aggregatorEntity } from "./aggregator-health.ts";
import { pollerKey } from "../../domain/lease.ts";
import { surfacesOf } from "../surface-index.ts";

/**
 * Gaps: times in which nothing could be read or decided, as the process stood still, the machine slept, or its clock
 * was set forward. What was read before is as old as it is; but no poller is stale for not polling in a gap.
 */

/** The most gaps that are remembered: a process that keeps standing still is not excused forever. */
const MOST_GAPS = 100;

/**
 * What was read too long ago is unknown from the beginning of the gap, so that no condition counts as having held during
 * it. A reading that was requested before the end of the gap confirms no action, and what waits to be verified gets
 * more time.
 */
export function resume(draft: Draft, since: Instant, awayMs: Millis): Affected {
  const { policy, state, at } = draft;
  state.gaps.push({ from: since, to: at });
  if (state.gaps.length > MOST_GAPS) state.gaps.shift();
  state.confirming.clear();
  for (const id of state.unsettled.values()) {
    const remediation = state.tables.remediation.get(id);
    if (remediation === undefined) continue;
    remediation.settleBy += at - since;
    touch(draft, "remediation", id);
  }
  const affected = newAffected();
  for (const { name: aggregator, pollers } of policy.aggregators) {
    if (pollers.some(({ staleAfterMs }) => awayMs > staleAfterMs))
      becomeUnknownSince(draft, aggregatorEntity(aggregator), affected, since);
    for (const own of pollers) {
      const { name: poller, staleAfterMs } = own;
      if (awayMs > staleAfterMs) {
        const key = pollerKey(aggregator, own);
        becomeUnknownSince(draft, key, affected, since);
      }
      for (const [key, surface] of surfacesOf(state, aggregator, poller).read) {
        // The wall clock may hide a part of the gap.
        if (Math.max(at - (surface.askedAt ?? 0), awayMs) <= staleAfterMs) continue;
        for (const entity of state.entitiesBySurface.get(key) ?? [])
          becomeUnknownSince(draft, entity, affected, since);
      }
    }
  }
  return affected;
}

/** Makes it unknown together with its alerts, whose clocks stop at the same instant. */
function becomeUnknownSince(draft: Draft, key: string, affected: Affected, since: Instant): void {
  const { policy, state } = draft;
  const entity = state.tables.entity.get(key);
  if (entity === undefined || entity.unknownSince !== undefined) return;
  becomeUnknown(draft, key, affected);
  setUnknown(state, entity, since);
  for (const rule of policy.rulesByKind.get(entity.kind) ?? []) {
    const alert = state.tables.alert.get(alertKey(rule.alert, key));
    if (alert === undefined || alert.state === "resolved") continue;
    if (alert.unknownSince !== undefined) continue;
    alert.unknownSince = since;
    touch(draft, "alert", alert.key);
  }
}

/** How much of the time from `since` to `at` was in no gap. */
export function attendedMs({ gaps }: State, since: Instant, at: Instant): Millis {
  const inGaps = gaps.map(({ from, to }) => Math.max(0, to - Math.max(from, since)));
  return inGaps.reduce((left, length) => left - length, at - since);
}
