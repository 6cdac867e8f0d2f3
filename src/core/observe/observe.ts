import { entityKey, type Entity, type SeenEntity } from "../../domain/entity.ts";
import type { Observation } from "../../domain/observation.ts";
import { NOT_YET_SET, type Instant } from "../../domain/time.ts";
import { createSliceCount, eachInSlices, type Slices } from "../../domain/slices.ts";
import { addEntity, leaveSurface, touch, type Draft } from "../draft.ts";
import { isWhole } from "./doubt.ts";
import { enriched } from "./enrich.ts";
import {
  becomeAbsent,
  becomeUnknown,
  learn,
  newAffected,
  statusOf,
  type Affected,
} from "./entity-life.ts";
import { mostEntities } from "./entity-limits.ts";
import { rememberReading } from "./entity-windows.ts";
import { plannedSurfaces } from "../policy.ts";
import { countOf, groupKey, indexEntity, keysOf } from "../entity-index.ts";
import { surfacesOf, type SurfaceState } from "../surface-index.ts";
import { noteEvidence, surfaceState, tooLong } from "./surface.ts";
import {
  forgetApplied,
  isApplied,
  rememberApplied,
  toApply,
  type Applied,
  type ToApply,
} from "./unchanged-listing.ts";
import { mayBeListedElsewhere } from "./unplanned.ts";
import { endUnread } from "./unread.ts";
import { forgetOldestVanished } from "./vanished.ts";

/**
 * How an observation changes what is known. Only a complete listing shows that an absent entity is gone, and a failed
 * reading makes its entities unknown, never healthy.
 */

/** Applies every part, except those that are older than what is already known. */
export function* observe(draft: Draft, observation: Observation): Slices<Affected> {
  const affected = newAffected();
  const applied: Applied[] = [];
  const planned = plannedSurfaces(draft.policy, observation);
  const most = mostEntities(draft.policy, observation);
  const isSliceOver = createSliceCount();
  const own = surfacesOf(draft.state, observation.aggregator, observation.poller);
  for (const part of observation.parts) {
    const { reading, askedAt } = part;
    // One surface is less than a slice, but thousands may fail at once, or be as they were.
    if (isSliceOver(1)) yield;
    // It left the watch list while the request was under way.
    if (planned !== undefined && !planned.has(part.surface)) continue;
    const surface = surfaceState(draft, observation, part.surface);
    if (surface.askedAt !== undefined && askedAt < surface.askedAt) continue;
    surface.ok = reading.ok;
    delete surface.missing;
    if (!reading.ok) {
      surface.failure = reading.failure;
      const keys = keysOf(draft, surface.key);
      yield* eachInSlices(keys, (one) => becomeUnknown(draft, one, affected));
      if (isSliceOver(keys.length)) yield;
      continue;
    }
    delete surface.failure;
    if (reading.missing === true) surface.missing = true;
    surface.askedAt = askedAt;
    own.areAllUnknown = false;
    yield* endUnread(draft, surface.key);
    if (isApplied(draft.state, surface, reading)) continue;
    const { origin } = observation;
    const rest = yield* toApply(draft, surface, reading);
    const { absent } = rest;
    // The known keys matter only if some of them are absent.
    const known = absent.size === 0 ? [] : keysOf(draft, surface.key);
    const leftOut = yield* applyListing(draft, surface, rest, most, affected);
    const isTooLong = holdsTooMany(reading.entities, leftOut, most);
    noteLeftOut(draft, surface, leftOut);
    // Absent entities make room for new ones, so a listing that is not too long itself may still show absence.
    const evidence = isTooLong ? tooLong(reading, countIn(leftOut)) : reading;
    yield* noteEvidence(draft, surface, evidence, origin, { known, absent }, affected);
    applied.push({ surface, reading, rest });
    if (isSliceOver(rest.listed.length)) yield;
  }
  yield* concludeAbsences(draft, applied, planned, affected);
  yield* eachInSlices(applied, (one) => rememberApplied(draft, one));
  yield* forgetOldestVanished(draft, observation.aggregator, affected);
  return affected;
}

/** How many listed entities of each kind are over the limit, and so not watched. */
type LeftOut = ReadonlyMap<string, number>;

/**
 * Applies the listed entities, and leaves in `absent` the keys of those that are not listed; `most`: the limit of entities
 * of one kind.
 */
function* applyListing(
  draft: Draft,
  { aggregator, key: surface }: SurfaceState,
  { listed, absent }: Pick<ToApply, "listed" | "absent">,
  most: number,
  affected: Affected,
): Slices<LeftOut> {
  const leftOut = new Map<string, number>();
  const { at } = draft;
  yield* eachInSlices(listed, (seen) => {
    const { kind, id } = seen;
    const key = entityKey({ aggregator, kind, id });
    const isKnown = absent.delete(key) || draft.state.tables.entity.has(key);
    if (isKnown || countOf(draft.state, groupKey({ aggregator, kind })) < most) {
      see(draft, { aggregator, surface, key }, seen, affected, at);
    } else leftOut.set(kind, (leftOut.get(kind) ?? 0) + 1);
  });
  for (const [kind, count] of leftOut)
    draft.findings.push({ type: "left_out", aggregator, kind, why: "listed", count });
  return leftOut;
}

/** Whether the listing by itself exceeds the limit of a kind. */
function holdsTooMany(listed: readonly SeenEntity[], leftOut: LeftOut, most: number): boolean {
  return leftOut.keys().some((kind) => listed.filter((one) => one.kind === kind).length > most);
}

function countIn(leftOut: LeftOut): number {
  return leftOut.values().reduce((sum, count) => sum + count, 0);
}

function noteLeftOut({ state }: Draft, surface: SurfaceState, leftOut: LeftOut): void {
  if ((surface.leftOut === undefined) !== (leftOut.size === 0)) state.revisions.completeness += 1;
  delete surface.leftOut;
  if (leftOut.size > 0) surface.leftOut = countIn(leftOut);
}

/** Runs after all parts: an entity that is absent from one surface may have moved to another, or be about to. */
function* concludeAbsences(
  draft: Draft,
  all: readonly Applied[],
  planned: ReadonlySet<string> | undefined,
  affected: Affected,
): Slices {
  const isSliceOver = createSliceCount();
  for (const { rest, surface } of all) {
    if (isSliceOver(1 + rest.absent.size)) yield;
    yield* eachInSlices(rest.absent, (key) => {
      const entity = draft.state.tables.entity.get(key);
      if (entity?.surface !== surface.key) return;
      const isGone =
        isWhole(surface, entity.kind) && !mayBeListedElsewhere(draft, surface, planned, key);
      if (isGone) becomeAbsent(draft, key, affected);
      else becomeUnknown(draft, key, affected);
    });
  }
}

/** `at` is the instant of the step: given by itself, it is one number for all entities of a listing. */
function see(
  draft: Draft,
  { aggregator, surface, key }: Pick<Entity, "aggregator" | "surface"> & { readonly key: string },
  seen: SeenEntity,
  affected: Affected,
  at: Instant,
): void {
  if (!draft.policy.kinds.has(seen.kind))
    throw new Error(`a poller gave the undeclared kind "${seen.kind}"`);
  const facts = enriched(draft, aggregator, seen.kind, seen.facts);
  const known = draft.state.tables.entity.get(key);
  if (known !== undefined) {
    if (known.surface !== surface) {
      leaveSurface(draft, key, known);
      forgetApplied(draft, known.surface);
      known.surface = surface;
      indexEntity(draft.state, key, known);
      touch(draft, "entity", key);
    }
    const shown = known.unknownSince === undefined ? undefined : { ...seen, surface };
    learn(draft, key, known, facts, affected, shown);
    return;
  }
  const entity = newEntity(seen, { aggregator, surface, facts }, at);
  rememberReading(draft, key, entity, facts);
  // The key as it is stored, so that timers hold the same string and not a copy.
  affected.changed.add(addEntity(draft, entity));
  draft.findings.push({
    type: "entity",
    change: "appeared",
    entity: { aggregator, kind: seen.kind, id: seen.id },
    detail: statusOf(seen.facts),
  });
}

function newEntity(
  { kind, id, parent }: SeenEntity,
  where: Pick<Entity, "aggregator" | "surface" | "facts">,
  at: Instant,
): Entity {
  const { aggregator, surface, facts } = where;
  const entity: Entity & { firstSeen: Instant } = {
    aggregator,
    kind,
    id,
    ...(parent === undefined ? {} : { parent }),
    surface,
    facts,
    firstSeen: NOT_YET_SET,
    since: NOT_YET_SET,
  };
  entity.firstSeen = at;
  entity.since = at;
  return entity;
}
