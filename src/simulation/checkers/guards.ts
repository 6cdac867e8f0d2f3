import { MODES } from "../../domain/action.ts";
import { covers, formatScope } from "../../domain/hold.ts";
import { isSettled } from "../../domain/remediation.ts";
import type { Budget } from "../../domain/rule.ts";
import { formatDuration, formatInstant, type Millis } from "../../domain/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { killedSince, RAMP_INTERVALS, type Ramp } from "../ledger/overrides.ts";
import { runKey, stateOf, type RemediationEntry } from "../ledger/remediations.ts";
import { stormKey } from "../ledger/storms.ts";
import { truthOf } from "../ledger/verdicts.ts";
import type { Step } from "../run-event.ts";
import { actsOf, nameAct, type Want } from "./acts.ts";
import { on, type Checker } from "./checker.ts";

/** A guard, as the ledger sees it: no action may be sent while it objects. */
type Guard = {
  readonly invariant: string;
  /** Why it objects, with the numbers; undefined if it does not. */
  readonly objection: (want: Want, ledger: Ledger) => string | undefined;
  /** What the core should still know after a step, but does not. */
  readonly lost?: (step: Step, ledger: Ledger) => readonly string[];
};

export function checkGuard({ invariant, objection, lost }: Guard): Checker {
  return on("step", invariant, (step, ledger) => {
    const sent = actsOf(step).flatMap((act) => {
      const problem = objection(act, ledger);
      return problem === undefined ? [] : [`${nameAct(act)} was sent though ${problem}`];
    });
    const forgotten = lost?.(step, ledger) ?? [];
    if (forgotten.length === 0) return sent;
    const after = `after a ${step.event.type} event at ${formatInstant(step.stampedAt)}`;
    return [...sent, ...forgotten.map((what) => `${what}, ${after}`)];
  });
}

/**
 * Never more actions within a window than the rule's budget allows on one aggregator, or the action's budget or the
 * global one on all of them.
 */
function budgetObjection(want: Want, { remediations }: Ledger): string | undefined {
  const { policy, rule, act, entity, at, made } = want;
  const { budget, budgets } = policy.acting;
  const isOwn = (one: RemediationEntry): boolean =>
    one.rule === rule.alert && one.aggregator === entity.aggregator;
  const isSame = (one: RemediationEntry): boolean => one.action === act.action;
  const limits: ReadonlyArray<readonly [string, Budget | undefined, typeof isOwn]> = [
    [`of ${rule.alert} on ${entity.aggregator}`, act.budget, isOwn],
    [`of ${act.action}`, budgets[act.action], isSame],
    ["over all rules", budget, () => true],
  ];
  const spent = remediations.before(made?.id);
  for (const [name, limit, counts] of limits) {
    if (limit === undefined) continue;
    const within = spent.filter((one) => one.requestedAt > at - limit.perMs && counts(one)).length;
    if (within < limit.max) continue;
    return `${within} were sent within ${formatDuration(limit.perMs)} before, and the budget ${name} is ${limit.max}`;
  }
  return undefined;
}

/** The kill switch is on, or a hold covers the entity, by the commands that were given. */
function overrideObjection(want: Want, { overrides, observed }: Ledger): string | undefined {
  const { at, rule, entity, key } = want;
  for (const [source, since] of overrides.kills) {
    return `the kill switch (${source}) is on since ${formatInstant(since)}`;
  }
  const parent = observed.entity(key)?.parent;
  const member = parent === undefined ? entity : { ...entity, parent };
  for (const [id, { scope, from, until }] of overrides.holds) {
    if (from > at || at >= until || !covers(scope, rule.alert, member)) continue;
    return `the hold ${id} on ${formatScope(scope)} stands until ${formatInstant(until)}`;
  }
  return undefined;
}

function lostOverrides({ state, stampedAt: at }: Step, { overrides }: Ledger): string[] {
  const { tables } = state;
  const kills = [...overrides.kills]
    .filter(([source]) => killedSince(tables, source) === undefined)
    .map(
      ([source, since]) => `the kill switch (${source}), on since ${formatInstant(since)}, is off`,
    );
  const holds = [...overrides.holds]
    .filter(([id, { until }]) => until > at && !tables.hold.has(id))
    .map(([id, { until }]) => `the hold ${id}, until ${formatInstant(until)}, is gone`);
  return [...kills, ...holds];
}

/**
 * While more entities are bad, or became bad within the window, than a rule may repair, it repairs none. After a storm,
 * a hold or a kill switch, actions ramp up: one an interval, then two, then four …
 */
function stormObjection(want: Want, ledger: Ledger): string | undefined {
  const { rule, entity } = want;
  const own = stormKey(rule.alert, entity.aggregator);
  return (
    ledger.storms.excessOf({ ...want, observed: ledger.observed }, rule, entity.aggregator) ??
    rampObjection(want, ledger, ledger.storms.lastCleared.get(own), own) ??
    rampObjection(want, ledger, ledger.overrides.lastEnd)
  );
}

/** Counts all actions since the ramp began, as its intervals may begin a moment later for the core. */
function rampObjection(
  { at, policy, made }: Want,
  { storms, remediations }: Ledger,
  ramp: Ramp | undefined,
  own?: string,
): string | undefined {
  if (ramp === undefined) return undefined;
  const interval = Math.floor((at - ramp.at) / policy.acting.rampIntervalMs);
  if (interval < 0 || interval >= RAMP_INTERVALS) return undefined;
  const most = 2 ** (interval + 1) - 1;
  const from = Math.max(ramp.at, storms.interval.since);
  const isCounted = (one: RemediationEntry): boolean =>
    one.isDurable &&
    one.requestedAt >= from &&
    (own === undefined || stormKey(one.rule, one.aggregator) === own);
  const count = remediations.before(made?.id).filter(isCounted).length;
  if (count < most) return undefined;
  return `${count} were sent since ${formatInstant(ramp.at)} (${ramp.why}), and a slow growth allows ${most} by then`;
}

/** An entity whose repairs were undone too often is left alone until an operator releases it. */
function quarantineObjection({ key, policy }: Want, { repairs }: Ledger): string | undefined {
  const repair = repairs.entries.get(key);
  if (repair?.quarantinedAt === undefined) return undefined;
  const within = formatDuration(policy.acting.undoWindowMs);
  return `repairs of it were undone ${repair.undone} times within ${within} each, and no operator has released it since ${formatInstant(repair.quarantinedAt)}`;
}

function lostQuarantines({ state }: Step, { repairs }: Ledger): string[] {
  return [...repairs.entries].flatMap(([key, { quarantinedAt }]) =>
    quarantinedAt === undefined || state.tables.quarantine.has(key)
      ? []
      : [`the quarantine of ${key}, since ${formatInstant(quarantinedAt)}, is gone`],
  );
}

/** No second remediation of an entity is requested before the first is settled. */
function unsettledObjection({ key, made }: Want, { remediations }: Ledger): string | undefined {
  const open = remediations
    .before(made?.id)
    .find((one) => one.entity === key && !isSettled({ state: stateOf(one) }));
  return open && `${open.id} of it is ${stateOf(open)}`;
}

/**
 * No more attempts for one run of an alert than its rule allows, and a cooldown between two on one entity
 * that doubles with each failure in a row, up to 64 times. After two in a row that were held back before they were sent,
 * a pause that doubles, up to the cooldown.
 */
function attemptsObjection(want: Want, { remediations }: Ledger): string | undefined {
  const { key, act, at, made, policy } = want;
  const before = remediations.before(made?.id);
  const run = runKey(want);
  const count = before.filter((one) => one.run === run).length;
  if (count >= act.attempts) return `${count} of ${act.attempts} attempts were used for this run`;
  const [unsent, ...more] = remediations.unsentInARow(run, made?.id);
  if (unsent !== undefined && more.length > 0) {
    const pauseMs = Math.min(act.cooldownMs, policy.acting.maxAgeMs * 2 ** more.length);
    if (at - unsent.requestedAt < pauseMs)
      return `only ${formatDuration(at - unsent.requestedAt)} had passed since ${unsent.id}, and after ${more.length + 1} in a row that were held back the pause is ${formatDuration(pauseMs)}`;
  }
  const own = lastOf(
    before.filter((one) => one.entity === key),
    policy.remediationRetentionMs,
  );
  if (own.length === 0) return undefined;
  const settled = own.filter((one) => isSettled({ state: stateOf(one) }));
  const failures = settled.length - 1 - settled.findLastIndex((one) => stateOf(one) === "verified");
  const cooldownMs = act.cooldownMs * 2 ** Math.min(failures, 6);
  const passedMs = at - Math.max(...own.map((one) => one.requestedAt));
  if (passedMs >= cooldownMs) return undefined;
  return `only ${formatDuration(passedMs)} had passed since the attempt before, and after ${failures} failures in a row the cooldown is ${formatDuration(cooldownMs)}`;
}

/** The attempts since the last long pause: earlier ones are forgotten. */
function lastOf(all: readonly RemediationEntry[], pauseMs: Millis): readonly RemediationEntry[] {
  const isPause = (one: RemediationEntry, index: number): boolean =>
    one.requestedAt - (all[index - 1]?.requestedAt ?? one.requestedAt) > pauseMs;
  return all.slice(Math.max(0, all.findLastIndex(isPause)));
}

/**
 * No action is sent in shadow mode, or if a person has denied it. One that must be proposed is sent only if as many
 * persons as the rule asks for have approved the facts and the rule as they are now. The rule's own `act.if` and
 * `act.during` must allow it.
 */
function permissionObjection(want: Want, ledger: Ledger): string | undefined {
  const { rule, act, policy, key, state, at, entity } = want;
  const { approvals, observed } = ledger;
  const mode = MODES[Math.min(MODES.indexOf(policy.acting.mode), MODES.indexOf(act.mode))];
  if (mode === "shadow") return "the mode is shadow";
  if (approvals.isDenied({ run: runKey(want), action: act.action })) return "it was denied";
  const asked = { ...want, action: act.action, entity, rule: rule.alert };
  const persons = approvals.of(ledger.groundsOf(asked, { policy, stampedAt: at })).length;
  if (mode === "propose" && persons < act.approvals)
    return `${persons} of ${act.approvals} persons have approved it as it is now`;
  if (act.during?.covers(at) === false) return "it is not the time of act.during";
  const known = observed.entity(key);
  if (act.condition === undefined || known === undefined) return undefined;
  const truth = truthOf({ ...rule, when: act.condition }, key, known, state, at);
  if (truth === undefined || truth === "bad") return undefined;
  return `act.if (${act.condition.source}) is ${truth === "ok" ? "false" : truth}`;
}

export const guards: readonly Guard[] = [
  { invariant: "2 budgets", objection: budgetObjection },
  { invariant: "2 overrides", objection: overrideObjection, lost: lostOverrides },
  { invariant: "2 storms", objection: stormObjection },
  { invariant: "2 tug of war", objection: quarantineObjection, lost: lostQuarantines },
  { invariant: "2 in flight", objection: unsettledObjection },
  { invariant: "2 attempts", objection: attemptsObjection },
  { invariant: "2 permission", objection: permissionObjection },
];
