import type { Alert } from "../../domain/alert.ts";
import { alertKey } from "../../domain/alert.ts";
import { entityKey, type Entity, type EntityId } from "../../domain/entity.ts";
import type { GuardAnswer, Judgement } from "../../domain/judgement.ts";
import type { ActionName, Mode } from "../../domain/action.ts";
import type { Rule, Truth } from "../../domain/rule.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Policy } from "../../domain/step.ts";
import { modeOf } from "../act/guards/guard.ts";
import { answersNow } from "../act/guards/index.ts";
import { mostBad, totalOf } from "../act/storm-count.ts";
import { judges, scopeOf, verdictOf } from "../judge/verdict.ts";
import type { State } from "../state.ts";

/** What a rule that is not in force says of all that is known now. It changes nothing, and nothing comes of it. */
export type Trial = {
  /** How many entities it judges, by what it says of them. */
  readonly counts: Readonly<Record<Truth, number>>;
  /** The first of those that are bad, unknown and ok. */
  readonly bad: readonly Tried[];
  readonly unknown: readonly Tried[];
  readonly ok: readonly Tried[];
  /** What it would do about those that are bad; undefined if it does not act. */
  readonly action:
    | {
        readonly name: ActionName;
        readonly mode: Mode;
        /** On an aggregator more are bad at once than its storm allows: none would be repaired there. */
        readonly isStorm: boolean;
      }
    | undefined;
};

export type Tried = {
  readonly entity: EntityId;
  readonly reason: string | undefined;
  /** What the condition reads; undefined if it is not known. */
  readonly facts: Judgement["condition"]["facts"];
  /** Of one that is bad, if the rule acts: what every guard would say if its alert fired now. */
  readonly guards: readonly GuardAnswer[];
};

const MOST_BAD = 200;
const MOST_OTHERS = 20;
/** The most bad entities about which all guards are asked. */
const MOST_GUARDED = 20;

/** Tries a rule on every entity of its kind. The state may change wherever this yields. */
export function* tryRule(policy: () => Policy, state: () => State, rule: Rule): Slices<Trial> {
  const counts = { ok: 0, bad: 0, unknown: 0 };
  const found: Record<Truth, Tried[]> = { ok: [], bad: [], unknown: [] };
  const badOf = new Map<string, number>();
  for (const key of state().entitiesByKind.get(rule.kind) ?? []) {
    yield;
    const entity = state().tables.entity.get(key);
    if (entity === undefined || !judges(rule, entity.aggregator)) continue;
    const { truth, reason } = verdictOf(state(), rule, entity, state().at);
    counts[truth] += 1;
    if (truth === "bad") badOf.set(entity.aggregator, (badOf.get(entity.aggregator) ?? 0) + 1);
    const most = truth === "bad" ? MOST_BAD : MOST_OTHERS;
    if (found[truth].length >= most) continue;
    const isGuarded = truth === "bad" && found.bad.length < MOST_GUARDED;
    const guards = isGuarded ? guardsOf(policy(), state(), rule, entity) : [];
    found[truth].push({ ...triedOf(state(), rule, entity), reason, guards });
  }
  return { counts, ...found, action: actionOf(policy(), state(), rule, badOf) };
}

function triedOf({ at }: State, rule: Rule, entity: Entity): Pick<Tried, "entity" | "facts"> {
  const { facts } = scopeOf(rule, entity, at);
  const { aggregator, kind, id } = entity;
  return {
    entity: { aggregator, kind, id },
    facts: rule.when.reads.map((name) => ({ name, value: facts[name] })),
  };
}

/** As if the alert fired since now: its rule's own cooldown, attempts and budget are not used yet. */
function guardsOf(
  policy: Policy,
  state: State,
  rule: Rule,
  entity: Entity,
): readonly GuardAnswer[] {
  const { at } = state;
  const alert: Alert = {
    key: alertKey(rule.alert, entityKey(entity)),
    rule: rule.alert,
    severity: rule.severity,
    entity,
    state: "firing",
    startedAt: at,
    activeAt: at,
    firedAt: at,
    labels: {},
    annotations: {},
    facts: entity.facts,
    attempts: 0,
  };
  return answersNow(policy, state, { alert, rule, entity });
}

function actionOf(
  policy: Policy,
  state: State,
  { act, kind }: Rule,
  badOf: ReadonlyMap<string, number>,
): Trial["action"] {
  if (act === undefined) return undefined;
  const isStorm = [...badOf].some(
    ([aggregator, bad]) => bad > mostBad(act.storm, totalOf(policy, state, { aggregator, kind })),
  );
  return { name: act.action, mode: modeOf({ policy, act }), isStorm };
}
