import { entityKey } from "../../domain/entity.ts";
import { isSettled } from "../../domain/remediation.ts";
import {
  formatDuration,
  formatInstant,
  SECOND,
  type Instant,
  type Millis,
} from "../../domain/time.ts";
import type { Policy } from "../../domain/step.ts";
import type { Checker } from "../witness.ts";
import type { GuardBook, Step, Want } from "./acts.ts";
import type { Readings } from "./readings.ts";

/** After the faults, an acting alert that nothing stands against is not left alone for long. */
export function checkIdle(readings: Readings, books: readonly GuardBook[]): Checker {
  /** Since when nothing stands against the repair that an alert wants. */
  const freeSince = new Map<string, Instant>();
  const told = new Set<string>();
  let isCalm = false;

  function look(step: Step): string[] {
    const wanted = new Map(wantsOf(step, readings).map((want) => [want.alert, want]));
    for (const alert of freeSince.keys()) if (!wanted.has(alert)) freeSince.delete(alert);
    const found: string[] = [];
    for (const [alert, want] of wanted) {
      const isHeld = isOpen(want) || books.some((book) => book.objection(want) !== undefined);
      if (isHeld) {
        freeSince.delete(alert);
        continue;
      }
      const since = freeSince.get(alert) ?? step.stampedAt;
      freeSince.set(alert, since);
      const idleMs = step.stampedAt - since;
      if (idleMs <= patience(step) || told.has(alert)) continue;
      told.add(alert);
      const reason = step.state.tables.alert.get(alert)?.suppressed;
      const said = reason === undefined ? "nothing" : `${reason.reason}: ${reason.detail}`;
      found.push(
        `${alert} fires at ${formatInstant(step.stampedAt)}, and for ${formatDuration(idleMs)} no ${want.act.action} was tried, though nothing stands against it; aggwatch gives as its reason ${said}`,
      );
    }
    return found;
  }

  return {
    invariant: "9 nothing hangs: repairs",
    witness: (seen) => {
      if (seen.type === "faults_ended") isCalm = true;
      if (seen.type === "restarted") freeSince.clear();
      if (seen.type !== "step" || !isCalm || seen.event.type !== "tick") return [];
      return look(seen);
    },
  };
}

/** The repairs that firing alerts want, where what was read last surely shows the entity bad. */
export function wantsOf({ policy, state, stampedAt: at }: Step, readings: Readings): Want[] {
  const wants: Want[] = [];
  for (const alert of state.tables.alert.values()) {
    const rule = policy.rules.get(alert.rule);
    if (alert.state !== "firing" || rule?.act === undefined) continue;
    const { entity } = alert;
    const key = entityKey(entity);
    const verdict = readings.verdicts.of(rule.alert, key);
    if (verdict?.truth !== "bad" || verdict.lostSince !== undefined) continue;
    const row = state.tables.entity.get(key);
    if (row === undefined || policy.actions.get(rule.act.action)?.call(row) === undefined) continue;
    const run = { alert: alert.key, alertStartedAt: alert.startedAt };
    wants.push({ policy, state, at, rule, act: rule.act, entity, key, ...run });
  }
  return wants;
}

function isOpen({ state, key }: Want): boolean {
  for (const made of state.tables.remediation.values()) {
    if (!isSettled(made) && entityKey(made.entity) === key) return true;
  }
  return false;
}

/** A poll, its pause after failures, a reading to confirm, and a ramp that began a little later. */
function patience({ policy, state }: Step): Millis {
  const { acting } = policy;
  const isRamping = [...state.tables.storm.values()].some((storm) => storm.clearedAt !== undefined);
  const ramp = isRamping ? 6 * acting.rampIntervalMs : 0;
  return (
    longestInterval(policy) * 2 +
    acting.confirmWithinMs +
    acting.settleAfterStartMs +
    15 * SECOND +
    ramp
  );
}

/** The longest time between two slots of any poller. */
export function longestInterval(policy: Policy): Millis {
  const all = policy.aggregators.flatMap(({ pollers }) => pollers.map((one) => one.intervalMs));
  return Math.max(0, ...all);
}
