import {
  entityKey,
  sameFacts,
  type Entity,
  type Facts,
  type SeenEntity,
} from "../../domain/entity.ts";
import { surfaceKey, type Observation } from "../../domain/observation.ts";
import { DAY } from "../../domain/time.ts";
import { addEntity, removeEntity, touch, type Draft } from "../draft.ts";
import { noteDuration } from "./baseline.ts";
import { isWhole, lossesOf, sameKinds } from "./doubt.ts";
import { enriched } from "./enrich.ts";
import { rememberReading } from "./entity-windows.ts";
import { plannedSurfaces } from "../policy.ts";
import { indexEntity, keysOf, unindexEntity, type SurfaceState } from "../state.ts";
import { forgetApplied, isUnchanged, rememberApplied } from "./unchanged-listing.ts";

/**
 * What an observation changes of what is known. Only a complete listing may conclude that something
 * absent is gone, and a reading that failed makes its entities unknown, never healthy.
 */

/** How long an absent entity is kept, if its kind keeps those: bounded, and long enough to be noticed. */
const ABSENT_RETENTION = 7 * DAY;

/** The entities to judge again, and those that are no more. */
export type Affected = { readonly changed: Set<string>; readonly gone: Set<string> };

export function newAffected(): Affected {
  return { changed: new Set(), gone: new Set() };
}

/** Applies every part but those that are older than what is known already. */
export function observe(draft: Draft, observation: Observation): Affected {
  const affected = newAffected();
  const absences: Absence[] = [];
  const planned = plannedSurfaces(draft.policy, observation);
  for (const part of observation.parts) {
    const { reading, askedAt } = part;
    // It left the watch list while it was asked.
    if (planned !== undefined && !planned.has(part.surface)) continue;
    const key = surfaceKey(observation.aggregator, observation.poller, part.surface);
    const surface = surfaceState(draft, observation, part.surface, key);
    if (surface.askedAt !== undefined && askedAt < surface.askedAt) continue;
    surface.ok = reading.ok;
    delete surface.missing;
    if (!reading.ok) {
      surface.failure = reading.failure;
      for (const entity of keysOf(draft, key)) becomeUnknown(draft, entity, affected);
      continue;
    }
    delete surface.failure;
    if (reading.missing === true) surface.missing = true;
    surface.askedAt = askedAt;
    if (isUnchanged(draft, surface, reading)) continue;
    const known = keysOf(draft, key);
    const absent = applyListing(draft, observation.aggregator, key, reading.entities, affected);
    const losses = reading.complete
      ? lossesOf(draft, surface, observation.origin, known, absent)
      : surface.losses;
    if (surface.complete !== reading.complete || !sameKinds(surface.losses, losses))
      draft.state.revisions.completeness += 1;
    surface.losses = losses;
    surface.complete = reading.complete;
    surface.everComplete ||= surface.complete;
    rememberApplied(draft, surface, key, reading, absent.size);
    absences.push({ key, absent, surface });
  }
  concludeAbsences(draft, absences, affected);
  return affected;
}

function surfaceState(
  draft: Draft,
  observation: Observation,
  name: string,
  key: string,
): SurfaceState {
  const known = draft.state.surfaces.get(key);
  if (known !== undefined) return known;
  const { aggregator, poller } = observation;
  const nothing = { ok: false, complete: false, everComplete: false, losses: new Map() };
  const fresh: SurfaceState = { aggregator, poller, name, ...nothing };
  draft.state.surfaces.set(key, fresh);
  return fresh;
}

/** Gives the keys of the surface's entities that are not listed. */
function applyListing(
  draft: Draft,
  aggregator: string,
  surface: string,
  listed: readonly SeenEntity[],
  affected: Affected,
): ReadonlySet<string> {
  const absent = new Set(keysOf(draft, surface));
  for (const seen of listed) {
    const key = entityKey({ aggregator, kind: seen.kind, id: seen.id });
    absent.delete(key);
    see(draft, aggregator, surface, key, seen, affected);
  }
  return absent;
}

type Absence = {
  readonly key: string;
  readonly absent: ReadonlySet<string>;
  readonly surface: SurfaceState;
};

/** After all parts, as what is absent from one surface may have moved to another. */
function concludeAbsences(draft: Draft, absences: readonly Absence[], affected: Affected): void {
  for (const { key: read, absent, surface } of absences) {
    for (const key of absent) {
      const entity = draft.state.tables.entity.get(key);
      if (entity?.surface !== read) continue;
      if (isWhole(surface, entity.kind)) becomeAbsent(draft, key, affected);
      else becomeUnknown(draft, key, affected);
    }
  }
}

function see(
  draft: Draft,
  aggregator: string,
  surface: string,
  key: string,
  seen: SeenEntity,
  affected: Affected,
): void {
  if (!draft.policy.kinds.has(seen.kind))
    throw new Error(`a poller gave the undeclared kind "${seen.kind}"`);
  const facts = enriched(draft, aggregator, seen.kind, seen.facts);
  const known = draft.state.tables.entity.get(key);
  if (known !== undefined) {
    if (known.surface !== surface) {
      unindexEntity(draft.state, key, known);
      forgetApplied(draft, known.surface);
      known.surface = surface;
      indexEntity(draft.state, key, known);
      touch(draft, "entity", key);
    }
    learn(draft, key, known, facts, affected);
    return;
  }
  const entity: Entity = {
    aggregator,
    kind: seen.kind,
    id: seen.id,
    ...(seen.parent === undefined ? {} : { parent: seen.parent }),
    surface,
    facts,
    firstSeen: draft.at,
    since: draft.at,
  };
  rememberReading(draft, key, entity, facts);
  addEntity(draft, entity);
  affected.changed.add(key);
  draft.findings.push({
    type: "entity",
    change: "appeared",
    entity: { aggregator, kind: seen.kind, id: seen.id },
    detail: statusOf(seen.facts),
  });
}

/** Changes the facts of a known entity. */
export function learn(
  draft: Draft,
  key: string,
  entity: Entity,
  facts: Facts,
  affected: Affected,
): void {
  if (rememberReading(draft, key, entity, facts)) affected.changed.add(key);
  if (entity.unknownSince === undefined && sameFacts(entity.facts, facts)) return;
  noteDuration(draft, entity, facts, affected.changed);
  noteStatus(draft, entity, facts);
  // An alert is described anew if its entity's facts are another object. An answer with the same
  // bytes may give the same one, also after a time in which nothing was known.
  entity.facts = entity.facts === facts ? { ...facts } : facts;
  delete entity.unknownSince;
  touch(draft, "entity", key);
  affected.changed.add(key);
}

/** A status that is not shown is unknown, not another one: `since` goes on if it comes back as it was. */
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

function becomeAbsent(draft: Draft, key: string, affected: Affected): void {
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined) return;
  const definition = draft.policy.kinds.get(entity.kind);
  if (definition === undefined || definition.whenAbsent === "gone") {
    forget(draft, key, affected);
    return;
  }
  const absentAlready = entity.facts["status"] === definition.whenAbsent["status"];
  if (absentAlready && draft.at - entity.since > ABSENT_RETENTION) forget(draft, key, affected);
  else learn(draft, key, entity, { ...entity.facts, ...definition.whenAbsent }, affected);
}

/** Nothing sure is known of it any more. */
export function becomeUnknown(draft: Draft, key: string, affected: Affected): void {
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined || entity.unknownSince !== undefined) return;
  entity.unknownSince = draft.at;
  forgetApplied(draft, entity.surface);
  touch(draft, "entity", key);
  affected.changed.add(key);
}

/** The entity has ended. */
export function forget(draft: Draft, key: string, affected: Affected): void {
  const entity = draft.state.tables.entity.get(key);
  if (entity === undefined) return;
  removeEntity(draft, key, entity);
  forgetApplied(draft, entity.surface);
  affected.changed.delete(key);
  affected.gone.add(key);
  draft.findings.push({
    type: "entity",
    change: "gone",
    entity: { aggregator: entity.aggregator, kind: entity.kind, id: entity.id },
    detail: `was ${statusOf(entity.facts)}`,
  });
}

function statusOf(facts: Facts): string {
  return String(facts["status"] ?? "seen");
}
