import {
  sameFacts,
  type EndedBecause,
  type Entity,
  type Facts,
  type KindDefinition,
  type Shown,
} from "../../domain/entity.ts";
import type { Policy } from "../../domain/step.ts";
import { DAY } from "../../domain/time.ts";
import { put, removeEntity, touch, type Draft } from "../draft.ts";
import { noteDuration } from "./baseline.ts";
import { rememberReading } from "./entity-windows.ts";
import { forgetApplied } from "./unchanged-listing.ts";
import { addTo, asKnown, groupKey, setUnknown } from "../entity-index.ts";

/** What becomes of a known entity: it changes, is unknown, vanishes, or has ended. */

/** How long an absent entity is kept, if its kind keeps those: bounded, and long enough to be noticed. */
const ABSENT_RETENTION = 7 * DAY;

/** The entities to judge again, and those that have ended. */
export type Affected = {
  readonly changed: Set<string>;
  readonly gone: Map<string, EndedBecause>;
};

export function newAffected(): Affected {
  return { changed: new Set(), gone: new Map() };
}

/** Changes the facts of a known entity. One that was unknown is another object from then on. */
export function learn(
  draft: Draft,
  key: string,
  entity: Entity,
  facts: Facts,
  affected: Affected,
  shown?: Shown,
): void {
  if (rememberReading(draft, key, entity, facts)) affected.changed.add(key);
  if (entity.unknownSince === undefined && sameFacts(entity.facts, facts)) return;
  noteDuration(draft, entity, facts, affected.changed);
  noteStatus(draft, entity, facts);
  // An alert is described again if its entity's facts are another object. An answer with the same
  // bytes may give the same object, even after a time in which nothing was known.
  entity.facts = entity.facts === facts ? { ...facts } : facts;
  const known = asKnown(draft.state, entity, shown);
  noteVanished(draft, key, known);
  put(draft, "entity", key, known);
  affected.changed.add(key);
}

/** Whether it is absent from a complete listing, and of a kind whose absent entities are kept. */
export function isVanished({ kinds }: Policy, { kind, facts }: Entity): boolean {
  const { whenAbsent = "gone" } = kinds.get(kind) ?? {};
  return whenAbsent !== "gone" && facts["status"] === whenAbsent["status"];
}

/** Counts a known entity as vanished or not, if its facts have changed. */
function noteVanished(draft: Draft, key: string, entity: Entity): void {
  const { vanished } = draft.state;
  const group = groupKey(entity);
  if (isVanished(draft.policy, entity)) addTo(vanished, group, key);
  else vanished.get(group)?.delete(key);
}

/** A status that is not shown is unknown, not changed: `since` is kept if it comes back the same. */
function noteStatus(draft: Draft, entity: Entity, facts: Facts): void {
  const before = entity.facts["status"] ?? entity.lastStatus;
  const status = facts["status"];
  if (status === undefined) {
    if (before !== undefined) entity.lastStatus = before;
    return;
  }
  delete entity.lastStatus;
  if (before === status) return;
  draft.findings.push({
    type: "entity",
    change: "status",
    entity: { aggregator: entity.aggregator, kind: entity.kind, id: entity.id },
    detail: `${String(before ?? "seen")} -> ${statusOf(facts)}`,
  });
  entity.since = draft.at;
}

/** Applies that a complete listing lacks the entity. */
export function becomeAbsent(draft: Draft, key: string, affected: Affected): void {
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined) return;
  const { whenAbsent = "gone", facts = {} } = draft.policy.kinds.get(entity.kind) ?? {};
  const isOld = isVanished(draft.policy, entity) && draft.at - entity.since > ABSENT_RETENTION;
  if (whenAbsent === "gone" || isOld) forget(draft, key, affected);
  else
    learn(draft, key, entity, { ...withoutFields(entity.facts, facts), ...whenAbsent }, affected);
}

/** Without what only the fields of its entry say, such as a price: there is no entry, so it is not known any more. */
function withoutFields(known: Facts, facts: KindDefinition["facts"]): Facts {
  return Object.fromEntries(
    Object.entries(known).filter(([name]) => facts[name]?.field === undefined),
  );
}

/** Applies that nothing sure is known of the entity any more. */
export function becomeUnknown(draft: Draft, key: string, affected: Affected): void {
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined || entity.unknownSince !== undefined) return;
  setUnknown(draft.state, entity, draft.at);
  forgetApplied(draft, entity.surface);
  touch(draft, "entity", key);
  affected.changed.add(key);
}

/** Forgets an entity that has ended, or is not watched any more. */
export function forget(
  draft: Draft,
  key: string,
  affected: Affected,
  because: EndedBecause = "gone",
): void {
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined) return;
  removeEntity(draft, key, entity);
  forgetApplied(draft, entity.surface);
  affected.changed.delete(key);
  affected.gone.set(key, because);
  draft.findings.push({
    type: "entity",
    change: "gone",
    entity: { aggregator: entity.aggregator, kind: entity.kind, id: entity.id },
    detail: `was ${statusOf(entity.facts)}`,
  });
}

export function statusOf(facts: Facts): string {
  return String(facts["status"] ?? "seen");
}
