import { lowestMode, type Mode } from "../../domain/action.ts";
import type { Alert } from "../../domain/alert.ts";
import { entityKey, type Entity } from "../../domain/entity.ts";
import type { SuppressionReason } from "../../domain/guard.ts";
import type { Rule, RuleAction } from "../../domain/rule.ts";
import type { Policy } from "../../domain/step.ts";
import { formatScope } from "../../domain/hold.ts";
import { formatDuration, formatInstant, type Instant, type Millis } from "../../domain/time.ts";
import { holdOn } from "../change/holds.ts";
import { scopeOf, verdictOf } from "../judge/verdict.ts";
import type { LedgerEntry, State } from "../state.ts";
import { stormKey, stormObjection } from "./storm.ts";

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

/** Says whether it objects, and the numbers that it judged, either way. */
type Guard = (context: GuardContext) => Answer;

/** `say` is called only where somebody reads it: there may be thousands of alerts to look at. */
type Answer = { readonly objects: boolean; readonly say: () => string };

const object = (say: () => string): Answer => ({ objects: true, say });
const pass = (say: () => string): Answer => ({ objects: false, say });

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
    const { objects, say } = guard(context);
    if (objects) return { reason, detail: say() };
  }
  return undefined;
}

/** What every guard says, in their order, for people. */
export function allAnswers(
  context: GuardContext,
): ReadonlyArray<Objection & { readonly objects: boolean }> {
  return GUARDS.map(([reason, guard]) => {
    const { objects, say } = guard(context);
    return { reason, objects, detail: say() };
  });
}

function killed({ state }: GuardContext): Answer {
  const [kill] = state.tables.kill.values();
  if (kill === undefined) return pass(() => "the kill switch is off");
  return object(() => `the kill switch is on (${kill.source}, by ${kill.by}): ${kill.reason}`);
}

function held({ state, rule, entity, at }: GuardContext): Answer {
  const hold = holdOn(state, rule.alert, entity, at);
  if (hold === undefined) return pass(() => "no hold covers it");
  const { id, owner, scope, until, reason } = hold;
  return object(
    () => `${owner} holds ${formatScope(scope)} (${id}) until ${formatInstant(until)}: ${reason}`,
  );
}

function starting({ state, policy, at, entity }: GuardContext): Answer {
  if (!Number.isFinite(state.startedAt)) return object(() => "not started yet");
  const settle = (): string => formatDuration(policy.acting.settleAfterStartMs);
  const running = (): string => formatDuration(at - state.startedAt);
  if (at - state.startedAt < policy.acting.settleAfterStartMs) {
    return object(() => `running for ${running()} of settle_after_start ${settle()}`);
  }
  if (state.surfaces.get(entity.surface)?.everComplete !== true) {
    return object(() => "no complete reading of its surface since the start");
  }
  return pass(() => `running for ${running()}, settle_after_start is ${settle()}`);
}

/** The data that would justify the action is too old, unknown, from a cut listing, or wanting a fact. */
function stale({ state, policy, at, entity, rule, act }: GuardContext): Answer {
  const verdict = verdictOf(rule, entity, at);
  if (verdict.truth !== "bad") {
    const why = verdict.reason === undefined ? "" : `: ${verdict.reason}`;
    return object(() => `the condition is ${verdict.truth}${why}`);
  }
  const surface = state.surfaces.get(entity.surface);
  if (surface?.askedAt === undefined) return object(() => "not read since the start");
  if (!surface.complete) {
    return object(() => `its last listing was cut${doubtIn(surface.doubt)}`);
  }
  if (policy.actions.get(act.action)?.call(entity) === undefined) {
    return object(
      () => `a fact that ${act.action} needs is missing, or no request can be made of it`,
    );
  }
  const ageMs = at - surface.askedAt;
  const detail = (): string =>
    `last read ${formatDuration(ageMs)} ago, max_age is ${formatDuration(policy.acting.maxAgeMs)}`;
  return ageMs <= policy.acting.maxAgeMs ? pass(detail) : object(detail);
}

function doubtIn(doubt: string | undefined): string {
  return doubt === undefined ? ", or held entries that were left out" : `: ${doubt}`;
}

function inFlight({ state, entity }: GuardContext): Answer {
  const id = state.unsettled.get(entityKey(entity));
  if (id === undefined) return pass(() => "no remediation of it is open");
  return object(() => `remediation ${id} of it is not settled`);
}

function quarantined({ state, entity, policy }: GuardContext): Answer {
  const key = entityKey(entity);
  const quarantine = state.tables.quarantine.get(key);
  if (quarantine !== undefined) {
    return object(
      () => `quarantined since ${formatInstant(quarantine.since)}: ${quarantine.reason}`,
    );
  }
  const undone = state.tables.attempt.get(key)?.undone ?? 0;
  return pass(() => `repairs of it were undone ${undone} of ${policy.acting.undoLimit} times`);
}

function cooldown({ state, at, act, entity }: GuardContext): Answer {
  const attempt = state.tables.attempt.get(entityKey(entity));
  if (attempt === undefined) return pass(() => "it was never tried before");
  const cooldownMs = cooldownAfter(act.cooldownMs, attempt.failures);
  const passedMs = at - attempt.lastAt;
  const detail = (): string =>
    `${formatDuration(passedMs)} of ${formatDuration(cooldownMs)} since the last attempt (${attempt.failures} failed in a row)`;
  return passedMs >= cooldownMs ? pass(detail) : object(detail);
}

/** The rule's cooldown, doubled for each attempt that failed in a row, at most 64 times as long. */
export function cooldownAfter(cooldownMs: Millis, failures: number): Millis {
  return cooldownMs * 2 ** Math.min(failures, 6);
}

function attempts({ alert, act }: GuardContext): Answer {
  const detail = (): string => `${alert.attempts} of ${act.attempts} attempts used for this alert`;
  return alert.attempts < act.attempts ? pass(detail) : object(detail);
}

function storm({ state, policy, rule, entity, at }: GuardContext): Answer {
  const { rampIntervalMs } = policy.acting;
  const objection = stormObjection(state, rule.alert, entity.aggregator, at, rampIntervalMs);
  if (objection !== undefined) return object(() => objection);
  const bad = state.bad.get(stormKey(rule.alert, entity.aggregator))?.size ?? 0;
  return pass(() => `${bad} bad at once`);
}

/** The rule's budget is for each aggregator; those of the action and of all rules are over all of them. */
function budget({ state, policy, rule, act, entity, at }: GuardContext): Answer {
  const ofRule = ({ rule: name, aggregator }: LedgerEntry): boolean =>
    name === rule.alert && aggregator === entity.aggregator;
  const byAction = policy.acting.budgetByAction[act.action];
  const said: Array<() => string> = [];
  for (const [name, limit, counts] of [
    ["rule", act.budget, ofRule],
    ["action", byAction, (entry: LedgerEntry) => entry.action === act.action],
    ["global", policy.acting.budget, () => true],
  ] as const) {
    if (limit === undefined) continue;
    const spent = spentWithin(state.ledger, limit.perMs, at, counts);
    const detail = (): string =>
      `${spent} of ${limit.max} per ${formatDuration(limit.perMs)} spent (${name} budget)`;
    if (spent >= limit.max) return object(detail);
    said.push(detail);
  }
  return pass(() => said.map((say) => say()).join(", "));
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

function condition({ act, rule, entity, at }: GuardContext): Answer {
  if (act.condition === undefined) return pass(() => "there is no act.if");
  const verdict = act.condition.judge(scopeOf(rule, entity, at));
  const { source } = act.condition;
  // A condition's "bad" is CEL's true, here as in `when`.
  if (verdict.truth === "bad") return pass(() => `act.if is true (${source})`);
  const outcome = verdict.truth === "ok" ? "false" : `unknown: ${verdict.reason ?? ""}`;
  return object(() => `act.if is ${outcome} (${source})`);
}

/** Lowest wins: the config's ceiling, the rule. */
export function modeOf({ policy, act }: Pick<GuardContext, "policy" | "act">): Mode {
  return lowestMode(policy.acting.ceiling, act.mode);
}

function approval(context: GuardContext): Answer {
  const mode = modeOf(context);
  if (mode !== "propose") return pass(() => `mode is ${mode}`);
  const proposal = context.state.tables.proposal.get(context.alert.key);
  if (proposal === undefined || proposal.alertStartedAt !== context.alert.startedAt) {
    return object(() => "waits for a person to approve it");
  }
  const { id, denial, approvals } = proposal;
  if (denial !== undefined) return object(() => `denied by ${denial.by}: ${denial.reason}`);
  if (proposal.expiresAt <= context.at) return object(() => `proposal ${id} has expired`);
  const missing = context.act.approvals - approvals.length;
  if (missing <= 0) return pass(() => `approved by ${approvals.map(({ by }) => by).join(", ")}`);
  const who = missing === 1 ? "a person" : `${missing} persons`;
  return object(() => `proposal ${id} waits for ${who} to approve it`);
}

function shadow(context: GuardContext): Answer {
  const mode = modeOf(context);
  return mode === "shadow"
    ? object(() => "mode is shadow: decided and recorded, not sent")
    : pass(() => `mode is ${mode}`);
}
