import type { ActionName, Mode } from "../domain/action.ts";
import { alertKey, type Alert } from "../domain/alert.ts";
import { entityKey, type EntityId, type FactValue } from "../domain/entity.ts";
import type { Remediation } from "../domain/remediation.ts";
import type { Rule, Verdict } from "../domain/rule.ts";
import type { Policy } from "../domain/step.ts";
import { formatDuration, formatInstant, type Instant } from "../domain/time.ts";
import { allAnswers, modeOf } from "./guards.ts";
import { scopeOf, verdictOf } from "./verdict.ts";
import type { State, SurfaceState } from "./state.ts";

/**
 * Why: why an alert is in its state, and why an action was or was not sent, from the same functions
 * that decide. It changes nothing.
 */
export type Explanation = {
  readonly at: Instant;
  readonly rule: string;
  readonly entity: EntityId;
  readonly condition: {
    readonly source: string;
    readonly verdict: Verdict;
    /** The facts that it reads, and their values; undefined where a fact is not known. */
    readonly facts: ReadonlyArray<{ readonly name: string; readonly value: FactValue | undefined }>;
    readonly reading: SurfaceState | undefined;
    readonly unknownSince: Instant | undefined;
  };
  readonly forMs: number;
  readonly keepFiringForMs: number;
  readonly alert: Alert | undefined;
  readonly action:
    | {
        readonly name: ActionName;
        readonly mode: Mode;
        /** In their order; the first that objects is the reason. Empty where no alert fires. */
        readonly guards: ReturnType<typeof allAnswers>;
      }
    | undefined;
  /** Of this entity, newest first. */
  readonly remediations: readonly Remediation[];
};

/** Undefined where there is no such rule or entity, or the rule judges another kind. */
export function explain(
  policy: Policy,
  state: State,
  ruleName: string,
  id: EntityId,
  at: Instant,
): Explanation | undefined {
  const rule = policy.rules.get(ruleName);
  const key = entityKey(id);
  const entity = state.tables.entity.get(key);
  if (rule === undefined || entity === undefined || rule.kind !== entity.kind) return undefined;
  const alert = state.tables.alert.get(alertKey(ruleName, key));
  const { facts } = scopeOf(rule, entity, at);
  return {
    at,
    rule: ruleName,
    entity: id,
    condition: {
      source: rule.when.source,
      verdict: verdictOf(rule, entity, at),
      facts: rule.when.reads.map((name) => ({ name, value: facts[name] })),
      reading: state.surfaces.get(entity.surface),
      unknownSince: entity.unknownSince,
    },
    forMs: rule.forMs,
    keepFiringForMs: rule.keepFiringForMs,
    alert: alert && { ...alert },
    action: rule.act && {
      name: rule.act.action,
      mode: modeOf({ policy, act: rule.act }),
      guards:
        alert?.state === "firing"
          ? allAnswers({ policy, state, at, alert, rule, act: rule.act, entity })
          : [],
    },
    remediations: [...state.tables.remediation.values()]
      .filter((one) => entityKey(one.entity) === key)
      .map((one) => ({ ...one }))
      .toReversed(),
  };
}

/** The explanation as sentences, the answer first, as one would write it after an incident. */
export function tellExplanation(policy: Policy, it: Explanation): string[] {
  const rule = policy.rules.get(it.rule);
  return [
    stateSentence(it),
    conditionSentence(policy, it),
    readingSentence(it),
    ...actionSentences(it, rule),
    ...it.remediations.map(remediationSentence),
  ];
}

function stateSentence({ alert, at, rule, entity, forMs }: Explanation): string {
  const what = `${rule} on ${entityKey(entity)}`;
  if (alert === undefined) return `${what}: no alert.`;
  const still =
    alert.unknownSince === undefined ? "" : ", and stands still, as nothing sure is known";
  if (alert.state === "pending") {
    const passed = formatDuration((alert.unknownSince ?? at) - alert.activeAt);
    return `${what}: pending, ${passed} of ${formatDuration(forMs)} (\`for\`) have passed${still}.`;
  }
  if (alert.state === "firing") {
    const since = alert.firedAt ?? alert.activeAt;
    return `${what}: firing since ${formatInstant(since)}, for ${formatDuration(at - since)}${still}.`;
  }
  const why = { ok: "it is ok again", gone: "it is gone", rule_removed: "its rule was removed" };
  const resolvedAt = formatInstant(alert.resolvedAt ?? at);
  return `${what}: resolved at ${resolvedAt}, as ${why[alert.resolvedBecause ?? "ok"]}.`;
}

function conditionSentence(policy: Policy, { condition, at, entity }: Explanation): string {
  const { verdict, source, facts } = condition;
  const types = policy.kinds.get(entity.kind)?.facts;
  const said = facts.map(({ name, value }) => {
    if (value === undefined) return `${name} is not known`;
    const isInstant =
      types?.[name]?.type === "timestamp" || name === "first_seen" || name === "since";
    if (!isInstant || typeof value !== "number") return `${name} is ${JSON.stringify(value)}`;
    const ago =
      value <= at ? `${formatDuration(at - value)} ago` : `in ${formatDuration(value - at)}`;
    return `${name} is ${formatInstant(value)}, ${ago}`;
  });
  const because = said.length === 0 ? "" : `: ${said.join("; ")}`;
  const reason = verdict.reason === undefined ? "" : ` (${verdict.reason})`;
  return `The condition ${source} is ${verdict.truth}${reason}${because}.`;
}

function readingSentence({ condition: { reading, unknownSince }, at }: Explanation): string {
  if (reading?.askedAt === undefined) return "It was not read since the start.";
  const age = `It was last read ${formatDuration(at - reading.askedAt)} ago`;
  if (unknownSince === undefined) return `${age}.`;
  const failure = reading.failure === undefined ? "" : ` (${reading.failure.message})`;
  return `${age}, and is unknown since ${formatInstant(unknownSince)}${failure}.`;
}

function actionSentences({ action, alert }: Explanation, rule: Rule | undefined): string[] {
  if (action === undefined || rule?.act === undefined) return ["The rule does not act."];
  if (action.guards.length === 0) {
    return [`${action.name} is not considered: the alert does not fire.`];
  }
  const first = action.guards.find(({ objects }) => objects);
  const verdict =
    first === undefined
      ? `${action.name}: no guard objects.`
      : `${action.name} is not sent: ${first.reason}. ${first.detail}.`;
  const attempts = alert === undefined || alert.attempts === 0 ? [] : [`Sent ${alert.attempts}x.`];
  return [
    verdict,
    ...attempts,
    ...action.guards.map(
      ({ reason, objects, detail }) => `  ${objects ? "✗" : "✓"} ${reason}: ${detail}`,
    ),
  ];
}

function remediationSentence(one: Remediation): string {
  const settled = one.settledAt === undefined ? "open" : `settled ${formatInstant(one.settledAt)}`;
  const by = one.approvedBy === undefined ? "" : `, approved by ${one.approvedBy}`;
  return `${one.id}: ${one.action} ${one.state}, requested ${formatInstant(one.requestedAt)}${by}, ${settled}: ${one.detail}.`;
}
