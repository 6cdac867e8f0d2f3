import { entityKey, parseEntityKey, type EntityId, type Facts } from "../../domain/entity.ts";
import { isSettled, type Remediation } from "../../domain/remediation.ts";
import { SELF_SURFACE, surfaceKey } from "../../domain/observation.ts";
import { addEntity, removeEntity, touch, type Draft } from "../draft.ts";
import { judge, judgeGone } from "../judge/judge.ts";
import { rememberReading } from "../observe/entity-windows.ts";

/**
 * Repairs are watched too: every entity that aggwatch ever tried to repair has an entity of the kind
 * `repair`, so that rules can be about attempts that are used up, and about a tug of war.
 */
export const REPAIR_KIND = "repair";

/** Changes facts of the `repair` of an entity, and judges it. */
export function noteRepair(draft: Draft, of: EntityId, change: Facts): void {
  const id = repairId(of);
  const key = entityKey(id);
  const known = draft.state.tables.entity.get(key);
  // Those of an aggregator that left the config ended with it.
  if (known === undefined && !draft.policy.aggregators.some(({ name }) => name === of.aggregator))
    return;
  const before = known?.facts ?? {
    kind: of.kind,
    entity: of.id,
    quarantined: false,
    exhausted: false,
    ...lastAttempt(draft, of),
  };
  const facts = { ...before, ...change };
  if (known === undefined) {
    const parent = { kind: of.kind, id: of.id };
    const surface = surfaceKey(id.aggregator, "repairs", SELF_SURFACE);
    const entity = { ...id, parent, surface, facts, firstSeen: draft.at, since: draft.at };
    rememberReading(draft, key, entity, facts);
    addEntity(draft, entity);
  } else {
    if (Object.keys(change).every((name) => known.facts[name] === change[name])) return;
    rememberReading(draft, key, known, facts);
    known.facts = facts;
    touch(draft, "entity", key);
  }
  judgeRepair(draft, key);
}

/** The attempts on an entity that were sent, or may have been. */
export function attemptsOn({ state: { tables } }: Draft, of: EntityId): readonly Remediation[] {
  const key = entityKey(of);
  // The id first: there may be thousands, for each of which a key would be made.
  const isOne = ({ entity, unsent }: Remediation): boolean =>
    entity.id === of.id && unsent !== true && entityKey(entity) === key;
  return tables.remediation.values().filter(isOne).toArray();
}

/** What became of the newest of them; nothing if none has been settled. */
function lastAttempt(draft: Draft, of: EntityId): Facts {
  const [last] = attemptsOn(draft, of)
    .filter(isSettled)
    .toSorted((one, other) => other.requestedAt - one.requestedAt);
  if (last === undefined) return {};
  const { action, rule, state, requestedAt, detail } = last;
  const failures = draft.state.tables.attempt.get(entityKey(of))?.failures ?? 0;
  return { action, rule, last_outcome: state, last_attempt: requestedAt, detail, failures };
}

/** The same, if the entity has a `repair`: one that was never repaired has none. */
export function noteRepairIfAny(draft: Draft, of: EntityId, change: Facts): void {
  if (hasRepair(draft, of)) noteRepair(draft, of, change);
}

export function hasRepair(draft: Draft, of: EntityId): boolean {
  return draft.state.tables.entity.has(entityKey(repairId(of)));
}

/** Forgets the `repair` of an entity, by the key of that entity. */
export function forgetRepair(draft: Draft, entity: string): void {
  const of = parseEntityKey(entity);
  const key = entityKey(repairId(of));
  const known = draft.state.tables.entity.get(key);
  if (known === undefined) return;
  // Alerts on these facts resolve by them, the others as it goes.
  noteRepair(draft, of, { quarantined: false, exhausted: false });
  removeEntity(draft, key, known);
  judgeGone(draft, key);
}

function repairId(of: EntityId): EntityId {
  return { aggregator: of.aggregator, kind: REPAIR_KIND, id: `${of.kind}/${of.id}` };
}

/** The entity that a `repair` is about; of any other, itself. */
export function repairedOf(entity: EntityId): EntityId {
  const { aggregator, kind, id } = entity;
  if (kind !== REPAIR_KIND) return entity;
  const slash = id.indexOf("/");
  return { aggregator, kind: id.slice(0, slash), id: id.slice(slash + 1) };
}

function judgeRepair(draft: Draft, key: string): void {
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined) return;
  for (const rule of draft.policy.rulesByKind.get(REPAIR_KIND) ?? []) {
    judge(draft, rule, key, entity);
  }
}
