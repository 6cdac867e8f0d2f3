import { alertKey, type Alert } from "../../domain/alert.ts";
import {
  entityKey,
  endedText,
  isTimestamp,
  type EntityId,
  type KindDefinition,
} from "../../domain/entity.ts";
import type { Silence } from "../../domain/hold.ts";
import type { JudgedAction, Judgement } from "../../domain/judgement.ts";
import type { Remediation } from "../../domain/remediation.ts";
import type { Policy } from "../../domain/step.ts";
import { formatDuration, formatInstant, type Instant } from "../../domain/time.ts";
import { REPAIR_KIND } from "../act/repairs.ts";
import { judgementOf } from "./judgement.ts";
import { isDerived } from "../start.ts";
import { isOfRows } from "../observe/unread.ts";
import type { State } from "../state.ts";
import { isOfWatching } from "../observe/poller-health.ts";
import { silencesOn } from "../tell/muted-by.ts";
import { judges } from "../judge/verdict.ts";

/**
 * Why: why an alert is in its state, and why an action was or was not sent, from the same functions
 * that decide. It changes nothing.
 */
export type Explanation = {
  readonly at: Instant;
  readonly rule: string;
  readonly entity: EntityId;
  /** As of `at`, or, of the past, as last recorded up to then; undefined if none was. */
  readonly judgement: Judgement | undefined;
  readonly alert: Alert | undefined;
  /** Those that mute the alert's notifications; undefined of the past. */
  readonly silences?: readonly Silence[];
  /** Of this entity, or of the one that a `repair` is about; newest first. */
  readonly remediations: readonly Remediation[];
  /** Made of rows alone, which do not say when what was read. */
  readonly isOfRows?: boolean;
  /** The last record of a process that knew more than the rows: when things were read, and what the guards said. */
  readonly recorded?: Judgement;
};

type Kinds = Policy["kinds"];

/** Undefined if there is no such rule or entity, or the rule judges another kind or aggregator. */
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
  if (!judges(rule, id.aggregator)) return undefined;
  const alert = state.tables.alert.get(alertKey(ruleName, key));
  const { aggregator, kind, parent } = entity;
  const repaired = kind === REPAIR_KIND && parent ? entityKey({ aggregator, ...parent }) : key;
  return {
    at,
    rule: ruleName,
    entity: id,
    judgement: judgementOf(policy, state, rule, entity, at),
    alert: alert && { ...alert },
    silences: silencesOn(
      { at, silences: state.tables.silence, entities: state.tables.entity },
      { rule: ruleName, entity: id },
    ),
    remediations: [...state.tables.remediation.values()]
      .filter((one) => entityKey(one.entity) === repaired)
      .map((one) => ({ ...one }))
      .toReversed(),
    isOfRows: isOfRows(state),
  };
}

/** The explanation as sentences, the answer first, as one would write it after an incident. */
export function explanationSentences(kinds: Kinds, it: Explanation): string[] {
  return [
    stateSentence(it, kinds.get(it.entity.kind)),
    ...silenceSentences(it),
    ...judgementSentences(kinds, it),
    ...it.remediations.map(remediationSentence),
  ];
}

function judgementSentences(kinds: Kinds, it: Explanation): string[] {
  const { judgement, recorded, alert, at, entity } = it;
  if (judgement === undefined) return ["What it was judged by was not recorded."];
  const condition = conditionSentence(judgement.condition, kinds.get(entity.kind), judgement.at);
  const { at: judgedAt, condition: read, action } = recorded ?? judgement;
  const asRecorded =
    judgedAt === at
      ? []
      : [`As recorded at ${formatInstant(judgedAt)}, ${formatDuration(at - judgedAt)} before:`];
  const isNeverRead = isOfWatching(entity.kind) || isDerived({ kinds }, entity.kind);
  const reading =
    it.isOfRows === true && recorded === undefined
      ? "When it was last read is known to the replica that owns it."
      : readingSentence(read, judgedAt);
  return [
    ...(recorded === undefined ? [...asRecorded, condition] : [condition, ...asRecorded]),
    isNeverRead ? "No poll reads it: aggwatch makes it of what it saw and did itself." : reading,
    ...actionSentences(action, alert),
  ];
}

/** An explanation that was made of rows, with what these do not say. */
export function withRecorded(it: Explanation, recorded: Judgement): Explanation {
  if (it.judgement === undefined) return it;
  const { condition, action } = it.judgement;
  const { reading } = recorded.condition;
  const guards = recorded.action?.guards ?? [];
  return {
    ...it,
    recorded,
    judgement: {
      ...it.judgement,
      condition: { ...condition, reading },
      action: action && { ...action, guards },
    },
  };
}

function stateSentence(
  { alert, at, rule, entity, judgement }: Explanation,
  kind: KindDefinition | undefined,
): string {
  const what = `${rule} on ${entityKey(entity)}`;
  if (alert === undefined) return `${what}: no alert.`;
  const still =
    alert.unknownSince === undefined
      ? ""
      : ", and its clocks are stopped, because nothing sure is known";
  if (alert.state === "pending") {
    const passed = formatDuration((alert.unknownSince ?? at) - alert.activeAt);
    const forMs = judgement?.forMs;
    const of = forMs === undefined ? "" : ` of ${formatDuration(forMs)}`;
    return `${what}: pending, ${passed}${of} (\`for\`) have passed${still}.`;
  }
  if (alert.state === "firing") {
    const since = alert.firedAt ?? alert.activeAt;
    const kept =
      alert.keepFiringSince === undefined
        ? ""
        : `, ok again since ${formatInstant(alert.keepFiringSince)} and kept by \`keep_firing_for\``;
    return `${what}: firing since ${formatInstant(since)}, for ${formatDuration(at - since)}${kept}${still}.`;
  }
  const why = {
    ok: "it is ok again",
    gone: endedText("gone", kind),
    unwatched: endedText("unwatched", kind),
    rule_removed: "its rule was removed",
  };
  const resolvedAt = formatInstant(alert.resolvedAt ?? at);
  return `${what}: resolved at ${resolvedAt}, as ${why[alert.resolvedBecause ?? "ok"]}.`;
}

function silenceSentences({ alert, silences = [] }: Explanation): string[] {
  if (alert === undefined || alert.state === "resolved") return [];
  return silences.map(
    ({ id, owner, until, reason }) =>
      `Its notifications are silenced by ${id} of ${owner} until ${formatInstant(until)}: ${reason}.`,
  );
}

function conditionSentence(
  { verdict, source, facts }: Judgement["condition"],
  kind: KindDefinition | undefined,
  at: Instant,
): string {
  const said = facts.map(({ name, value }) => {
    if (value === undefined) return `${name} is not known`;
    if (!isTimestamp(kind, name) || typeof value !== "number")
      return `${name} is ${JSON.stringify(value)}`;
    const ago =
      value <= at ? `${formatDuration(at - value)} ago` : `in ${formatDuration(value - at)}`;
    return `${name} is ${formatInstant(value)}, ${ago}`;
  });
  const because = said.length === 0 ? "" : `: ${said.join("; ")}`;
  const reason = verdict.reason === undefined ? "" : ` (${verdict.reason})`;
  return `The condition ${source} is ${verdict.truth}${reason}${because}.`;
}

function readingSentence(
  { reading, unknownSince, moved }: Judgement["condition"],
  at: Instant,
): string {
  const failure = reading?.failure === undefined ? "" : ` (${reading.failure})`;
  if (reading?.askedAt === undefined)
    return `It was not read since ${moved === true ? "base_url was changed" : "the start"}${failure}.`;
  const by = `by the poller ${reading.poller} at ${formatInstant(reading.askedAt)}`;
  const age = `It was last read ${formatDuration(at - reading.askedAt)} ago, ${by}`;
  if (unknownSince === undefined) {
    const { doubt } = reading;
    return doubt === undefined ? `${age}.` : `${age}, which is doubted (${doubt}).`;
  }
  return `${age}, and is unknown since ${formatInstant(unknownSince)}${failure}.`;
}

function actionSentences(action: JudgedAction | undefined, alert: Alert | undefined): string[] {
  if (action === undefined) return ["The rule does not act."];
  if (action.guards.length === 0) {
    return [`${action.name} is not considered: the alert does not fire.`];
  }
  const first = action.guards.find(({ objects }) => objects);
  const verdict =
    first === undefined
      ? `${action.name}: no guard objects.`
      : `${action.name} is not sent (${first.reason}): ${first.detail}.`;
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
