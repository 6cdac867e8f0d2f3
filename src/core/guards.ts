import { lowestMode, type Mode } from "../domain/action.ts";
import type { Alert } from "../domain/alert.ts";
import { entityKey, type Entity } from "../domain/entity.ts";
import type { SuppressionReason } from "../domain/guard.ts";
import type { Budget, Rule, RuleAction } from "../domain/rule.ts";
import type { Policy } from "../domain/step.ts";
import { formatScope } from "../domain/hold.ts";
import { formatDuration, formatInstant, type Instant, type Millis } from "../domain/time.ts";
import { holdOn } from "./holds.ts";
import { scopeOf, verdictOf } from "./judge.ts";
import type { LedgerEntry, State } from "./state.ts";
import { stormObjection } from "./storm.ts";

/**
 * The guards: why a remediation is not sent. Each is a small question with the numbers that it
 * judged in its answer. They are asked in the order of the list, and the first that objects names
 * the reason. In doubt, a guard objects.
 */
export type GuardContext = {
  readonly policy: Policy;
  readonly state: State;
  readonly at: Instant;
  readonly alert: Alert;
  readonly rule: Rule;
  readonly act: RuleAction;
  readonly entity: Entity;
};

/** Gives the objection, or undefined where there is none. */
type Guard = (context: GuardContext) => string | undefined;

export type Objection = { readonly reason: SuppressionReason; readonly detail: string };

/** The order is part of the contract: it is that of the docs and of the journal's words. */
export const GUARDS: ReadonlyArray<readonly [SuppressionReason, Guard]> = [
  ["killed", killed],
  ["held", held],
  ["starting", starting],
  ["stale", stale],
  ["in_flight", inFlight],
  ["quarantined", quarantined],
  ["cooldown", cooldown],
  ["attempts", attempts],
  ["storm", storm],
  ["budget", budget],
  ["condition", condition],
  ["approval", approval],
  ["shadow", shadow],
];

export function firstObjection(context: GuardContext): Objection | undefined {
  for (const [reason, guard] of GUARDS) {
    const detail = guard(context);
    if (detail !== undefined) return { reason, detail };
  }
  return undefined;
}

function killed({ state }: GuardContext): string | undefined {
  const [kill] = state.tables.kill.values();
  return kill && `the kill switch is on (${kill.source}, by ${kill.by}): ${kill.reason}`;
}

function held({ state, rule, entity, at }: GuardContext): string | undefined {
  const hold = holdOn(state, rule.alert, entity, at);
  if (hold === undefined) return undefined;
  const { id, owner, scope, until, reason } = hold;
  return `${owner} holds ${formatScope(scope)} (${id}) until ${formatInstant(until)}: ${reason}`;
}

function starting({ state, policy, at, entity }: GuardContext): string | undefined {
  if (!Number.isFinite(state.startedAt)) return "not started yet";
  const runningMs = at - state.startedAt;
  const settleMs = policy.acting.settleAfterStartMs;
  if (runningMs < settleMs) {
    return `running for ${formatDuration(runningMs)} of settle_after_start ${formatDuration(settleMs)}`;
  }
  if (state.surfaces.get(entity.surface)?.everComplete === true) return undefined;
  return "no complete reading of its surface since the start";
}

/** The data that would justify the action is too old, unknown, from a cut listing, or wanting a fact. */
function stale({ state, policy, at, entity, rule, act }: GuardContext): string | undefined {
  const verdict = verdictOf(rule, entity, at);
  if (verdict.truth !== "bad") return `the condition is ${verdict.truth}: ${verdict.reason ?? ""}`;
  const surface = state.surfaces.get(entity.surface);
  if (surface?.askedAt === undefined) return "not read since the start";
  if (!surface.complete) return "its last listing was cut";
  if (policy.actions.get(act.action)?.call(entity) === undefined) {
    return `a fact that ${act.action} needs is missing`;
  }
  const ageMs = at - surface.askedAt;
  const maxAgeMs = policy.acting.maxAgeMs;
  if (ageMs <= maxAgeMs) return undefined;
  return `last read ${formatDuration(ageMs)} ago, max_age is ${formatDuration(maxAgeMs)}`;
}

function inFlight({ state, entity }: GuardContext): string | undefined {
  const id = state.unsettled.get(entityKey(entity));
  return id && `remediation ${id} of it is not settled`;
}

function quarantined({ state, entity }: GuardContext): string | undefined {
  const quarantine = state.tables.quarantine.get(entityKey(entity));
  return quarantine && `quarantined since ${formatInstant(quarantine.since)}: ${quarantine.reason}`;
}

function cooldown({ state, at, act, entity }: GuardContext): string | undefined {
  const attempt = state.tables.attempt.get(entityKey(entity));
  if (attempt === undefined) return undefined;
  const cooldownMs = cooldownAfter(act.cooldownMs, attempt.failures);
  const passedMs = at - attempt.lastAt;
  if (passedMs >= cooldownMs) return undefined;
  return `${formatDuration(passedMs)} of ${formatDuration(cooldownMs)} since the last attempt (${attempt.failures} failed in a row)`;
}

/** The rule's cooldown, doubled for each attempt that failed in a row, at most 64 times as long. */
export function cooldownAfter(cooldownMs: Millis, failures: number): Millis {
  return cooldownMs * 2 ** Math.min(failures, 6);
}

function attempts({ alert, act }: GuardContext): string | undefined {
  if (alert.attempts < act.attempts) return undefined;
  return `${alert.attempts} of ${act.attempts} attempts used for this alert`;
}

function storm({ state, policy, rule, entity, at }: GuardContext): string | undefined {
  const { rampIntervalMs } = policy.acting;
  return stormObjection(state, rule.alert, entity.aggregator, at, rampIntervalMs);
}

function budget(context: GuardContext): string | undefined {
  const { state, policy, rule, act, at } = context;
  const byAction = policy.acting.budgetByAction[act.action];
  const limits: ReadonlyArray<readonly [string, Budget, (entry: LedgerEntry) => boolean]> = [
    ["rule", act.budget, (entry) => entry.rule === rule.alert],
    ...(byAction === undefined
      ? []
      : [["action", byAction, (entry: LedgerEntry) => entry.action === act.action] as const]),
    ["global", policy.acting.budget, () => true],
  ];
  for (const [name, limit, counts] of limits) {
    const spent = spentWithin(state.ledger, limit.perMs, at, counts);
    if (spent >= limit.max) {
      return `${spent} of ${limit.max} per ${formatDuration(limit.perMs)} spent (${name} budget)`;
    }
  }
  return undefined;
}

/** How many actions that count were sent within the window that ends now. */
export function spentWithin(
  ledger: readonly LedgerEntry[],
  perMs: Millis,
  at: Instant,
  counts: (entry: LedgerEntry) => boolean,
): number {
  let spent = 0;
  for (let index = ledger.length - 1; index >= 0; index -= 1) {
    const entry = ledger[index];
    if (entry === undefined || entry.at <= at - perMs) break;
    if (counts(entry)) spent += 1;
  }
  return spent;
}

function condition({ rule, act, entity, at }: GuardContext): string | undefined {
  if (act.condition === undefined) return undefined;
  const verdict = act.condition.judge(scopeOf(rule, entity, at));
  // A condition's "bad" is CEL's true, here as in `when`.
  if (verdict.truth === "bad") return undefined;
  const outcome = verdict.truth === "ok" ? "false" : `unknown: ${verdict.reason ?? ""}`;
  return `act.if is ${outcome} (${act.condition.source})`;
}

/** Lowest wins: the config's ceiling, the rule. */
export function modeOf({ policy, act }: Pick<GuardContext, "policy" | "act">): Mode {
  return lowestMode(policy.acting.ceiling, act.mode);
}

function approval(context: GuardContext): string | undefined {
  if (modeOf(context) !== "propose") return undefined;
  const proposal = context.state.tables.proposal.get(context.alert.key);
  if (proposal === undefined || proposal.alertStartedAt !== context.alert.startedAt) {
    return "waits for a person to approve it";
  }
  if (proposal.denial !== undefined) {
    return `denied by ${proposal.denial.by}: ${proposal.denial.reason}`;
  }
  if (proposal.expiresAt <= context.at) return `proposal ${proposal.id} has expired`;
  const missing = context.act.approvals - proposal.approvals.length;
  if (missing <= 0) return undefined;
  const who = missing === 1 ? "a person" : `${missing} persons`;
  return `proposal ${proposal.id} waits for ${who} to approve it`;
}

function shadow(context: GuardContext): string | undefined {
  return modeOf(context) === "shadow"
    ? "mode is shadow: decided and recorded, not sent"
    : undefined;
}
