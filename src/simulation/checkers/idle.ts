import { entityKey } from "../../domain/entity.ts";
import { formatDuration, formatInstant, SECOND, type Millis } from "../../domain/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { longestInterval } from "../ledger/watched-pollers.ts";
import type { Step } from "../run-event.ts";
import type { Want } from "./acts.ts";
import { on } from "./checker.ts";
import { guards } from "./guards.ts";

/** After the faults, an alert whose action nothing prevents does not wait for long. */
export const idle = on("tick", "9 nothing hangs: repairs", (step, ledger) => {
  const { calmSince, freeSince } = ledger;
  if (calmSince === undefined) return [];
  const wanted = new Map(wantsOf(step, ledger).map((want) => [want.alert, want]));
  for (const alert of freeSince.keys()) if (!wanted.has(alert)) freeSince.delete(alert);
  return [...wanted].flatMap(([alert, want]) => {
    if (isHeldBack(want, ledger)) {
      freeSince.delete(alert);
      return [];
    }
    const since = freeSince.get(alert) ?? step.stampedAt;
    freeSince.set(alert, since);
    const idleMs = step.stampedAt - since;
    if (idleMs <= patience(step) || !ledger.reportOnce(`${alert} is idle`)) return [];
    const reason = step.state.tables.alert.get(alert)?.suppressed;
    const said = reason === undefined ? "nothing" : `${reason.reason}: ${reason.detail}`;
    return [
      `${alert} fires at ${formatInstant(step.stampedAt)}, and for ${formatDuration(idleMs)} no ${want.act.action} was tried, though nothing stands against it; aggwatch gives as its reason ${said}`,
    ];
  });
});

/**
 * The journal is not yet found to be sound, a remediation is open, the attempts are used up, a guard objects, a storm
 * may have to end first, or no request can be made from the entity's row.
 */
function isHeldBack(want: Want, ledger: Ledger): boolean {
  return (
    !ledger.journalIsSound ||
    ledger.remediations.open().some(({ entity }) => entity === want.key) ||
    // Attempts of an earlier run count, if the entity was not well in between.
    ledger.attemptsSince(want.rule.alert, want.key, want.act.action) >= want.act.attempts ||
    guards.some(({ objection }) => objection(want, ledger) !== undefined) ||
    ledger.storms.mayStorm(
      { ...want, observed: ledger.observed },
      want.rule,
      want.entity.aggregator,
    ) ||
    !canBeAsked(want)
  );
}

function canBeAsked({ policy, state, key, act }: Want): boolean {
  const row = state.tables.entity.get(key);
  return row !== undefined && policy.actions.get(act.action)?.call(row) !== undefined;
}

/** The repairs that firing alerts want, if the last reading surely shows the entity bad. */
function wantsOf({ policy, state, stampedAt: at }: Step, { observed }: Ledger): Want[] {
  const wants: Want[] = [];
  for (const alert of state.tables.alert.values()) {
    const rule = policy.rules.get(alert.rule);
    if (alert.state !== "firing" || rule?.act === undefined) continue;
    const { entity } = alert;
    const key = entityKey(entity);
    const verdict = observed.verdicts.of(rule.alert, key);
    if (verdict?.truth !== "bad" || verdict.lostSince !== undefined) continue;
    if (!state.tables.entity.has(key)) continue;
    const run = { alert: alert.key, alertStartedAt: alert.startedAt };
    wants.push({ policy, state, at, rule, act: rule.act, entity, key, ...run });
  }
  return wants;
}

/** Enough for a poll, its back-off after failures, a reading to confirm, and a ramp that began a little later. */
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
