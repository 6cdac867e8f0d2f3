import { repairedOf } from "../core/act/repairs.ts";
import { alertKey, parseAlertKey, type Alert, type ResolvedBecause } from "../domain/alert.ts";
import { entityKey, type EntityId } from "../domain/entity.ts";
import type { ActionName } from "../domain/action.ts";
import type { SuppressionReason } from "../domain/guard.ts";
import type { RemediationState } from "../domain/remediation.ts";
import type { Finding, Policy } from "../domain/step.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { Divergence } from "./replay.ts";

/** The outcome of rules on a record, as lists in order of time. */
export type Outcome = {
  readonly alerts: readonly AlertRun[];
  /** The actions that these rules would have sent. */
  readonly actions: readonly ActionRun[];
  /** The actions that guards would have held back, once for each change of the first guard that objects. */
  readonly stopped: readonly Stop[];
  readonly divergences: readonly Diverged[];
};

type Diverged = {
  readonly at: Instant;
  readonly entity: string;
  readonly why: Divergence;
};

/** One line of an outcome; `counterfactual` if the entity's past had already diverged. */
type Line = { readonly rule: string; readonly entity: EntityId; readonly counterfactual: boolean };

export type AlertRun = Line & {
  readonly severity: string;
  /** When its condition was first seen to be bad. */
  readonly startedAt: Instant;
  readonly firedAt: Instant;
  /** Undefined if it fires at the end, as far as is known. */
  readonly resolvedAt?: Instant;
  /** It fires, and nothing is known from this instant on. */
  readonly lostAt?: Instant | undefined;
  readonly because?: ResolvedBecause;
  /** How long it was bad, with `for` and without `keep_firing_for`. */
  readonly badMs: Millis;
};

export type ActionRun = Line & {
  readonly at: Instant;
  readonly action: ActionName;
  /** Its last state. */
  readonly state: RemediationState;
  readonly detail: string;
};

export type Stop = Line & {
  readonly at: Instant;
  readonly action: ActionName;
  readonly reason: SuppressionReason;
  readonly detail: string;
};

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Makes an outcome of a replay's findings. */
export type Gathering = {
  readonly onFinding: (at: Instant, finding: Finding) => void;
  readonly onDivergence: (at: Instant, entity: string, why: Divergence) => void;
  /**
   * `known`: the alerts at the end, by key. Without them, one that only keeps firing then counts as bad. `lostAt`:
   * nothing is known from then on.
   */
  readonly outcome: (end: Instant, known?: ReadonlyMap<string, Alert>, lostAt?: Instant) => Outcome;
};

/** Notes the end of a run. An alert that is removed with its rule did not keep firing. */
function endRun(
  run: Mutable<AlertRun>,
  { startedAt, resolvedBecause: because }: Readonly<Alert>,
  at: Instant,
  keepFiringForMs: Millis = 0,
): void {
  run.resolvedAt = at;
  if (because !== undefined) run.because = because;
  const keptMs = because !== undefined && because !== "rule_removed" ? keepFiringForMs : 0;
  run.badMs = Math.max(0, at - keptMs - startedAt);
}

/** Joins the outcomes of several units, in order of time. */
export function joinOutcomes(outcomes: readonly Outcome[]): Outcome {
  const byAt = (one: { at: Instant }, other: { at: Instant }): number => one.at - other.at;
  return {
    alerts: outcomes
      .flatMap(({ alerts }) => alerts)
      .toSorted((one, other) => one.firedAt - other.firedAt),
    actions: outcomes.flatMap(({ actions }) => actions).toSorted(byAt),
    stopped: outcomes.flatMap(({ stopped }) => stopped).toSorted(byAt),
    divergences: outcomes.flatMap(({ divergences }) => divergences).toSorted(byAt),
  };
}

/** How many actions each guard held back, in one outcome and in another. */
export function stopsByReason(one: Outcome, other: Outcome) {
  const counts = new Map<SuppressionReason, [number, number]>();
  for (const [side, { stopped }] of [one, other].entries())
    for (const { reason } of stopped) {
      const both = counts.get(reason) ?? [0, 0];
      both[side === 0 ? 0 : 1] += 1;
      counts.set(reason, both);
    }
  return [...counts].map(([reason, both]) => [reason, ...both] as const);
}

/** The key of an entity, of whose past that of its `repair` is a part. */
function ownerOf(entity: EntityId): string {
  return entityKey(repairedOf(entity));
}

/** Gathers the outcome of a replay, without alerts that resolved, and actions that were sent, before `since`. */
export function gatherOutcome(rules: Policy["rules"], since: Instant): Gathering {
  const firing = new Map<string, Mutable<AlertRun>>();
  const alerts: Array<Mutable<AlertRun>> = [];
  const actions = new Map<string, Mutable<ActionRun>>();
  const stopped: Stop[] = [];
  const diverged = new Map<string, Diverged>();
  const isCounterfactual = (entity: EntityId): boolean => diverged.has(ownerOf(entity));

  function onAlert(at: Instant, { change, alert }: Extract<Finding, { type: "alert" }>): void {
    const { key, rule, entity, severity, startedAt } = alert;
    const run = firing.get(key);
    if (change === "firing") {
      const counterfactual = isCounterfactual(entity);
      const made = { rule, entity, severity, startedAt, firedAt: at, badMs: 0, counterfactual };
      firing.set(key, made);
      alerts.push(made);
    } else if ((change === "resolved" || change === "pending") && run !== undefined) {
      // It is pending again if a reload has raised its `for`.
      firing.delete(key);
      endRun(run, alert, at, rules.get(rule)?.keepFiringForMs);
      run.counterfactual ||= isCounterfactual(entity);
    }
  }

  return {
    onFinding: (at, finding) => {
      if (finding.type === "alert") return onAlert(at, finding);
      if (finding.type === "remediation") {
        const { id, rule, entity, action, state } = finding.remediation;
        const known = actions.get(id);
        const counterfactual = known?.counterfactual ?? isCounterfactual(entity);
        const made = { at: known?.at ?? at, rule, entity, action, state };
        actions.set(id, { ...made, detail: finding.detail, counterfactual });
      } else if (finding.type === "suppressed" && at >= since) {
        const { alert, entity, action, reason, detail } = finding;
        const { rule } = parseAlertKey(alert);
        const counterfactual = isCounterfactual(entity);
        stopped.push({ at, rule, entity, action, reason, detail, counterfactual });
      }
    },
    onDivergence: (at, entity, why) => {
      // A remediation is found before its own divergence, which must not mark it.
      if (!diverged.has(entity)) diverged.set(entity, { at, entity, why });
    },
    outcome: (end, known, lostAt) => ({
      alerts: alerts
        .filter(({ resolvedAt = end }) => resolvedAt >= since)
        .map((run) => {
          if (run.resolvedAt !== undefined) return run;
          const counterfactual = run.counterfactual || isCounterfactual(run.entity);
          const { keepFiringSince } = known?.get(alertKey(run.rule, entityKey(run.entity))) ?? {};
          const badMs = (keepFiringSince ?? lostAt ?? end) - run.startedAt;
          return { ...run, lostAt, badMs, counterfactual };
        }),
      actions: [...actions.values()].filter(({ at }) => at >= since),
      stopped,
      divergences: [...diverged.values()],
    }),
  };
}
