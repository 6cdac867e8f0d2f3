import { knownAgain, type Entity, type Shown } from "../domain/entity.ts";
import type { Instant } from "../domain/time.ts";
import type { State } from "./state.ts";
import { addOccupied, removeOccupied } from "./surface-index.ts";
import { NO_KEYS, removeKey, withKey } from "./surface-keys.ts";

/** Which entities there are: by surface, by kind, how many, and how many of them are unknown. */

/** The keys of the entities that are read from a surface, as they are now. */
export function keysOf({ state }: { readonly state: State }, surface: string): readonly string[] {
  const keys = state.entitiesBySurface.get(surface) ?? NO_KEYS;
  return Array.isArray(keys) ? keys : [...keys];
}

export function indexEntity(state: State, key: string, entity: Entity): void {
  if (!state.entitiesBySurface.has(entity.surface)) addOccupied(state, entity.surface);
  const others = state.entitiesBySurface.get(entity.surface) ?? NO_KEYS;
  state.entitiesBySurface.set(entity.surface, withKey(others, key));
  addTo(state.entitiesByKind, entity.kind, key);
  addCount(state.counts, groupKey(entity), 1);
  if (entity.unknownSince !== undefined) addCount(state.unknownCounts, groupKey(entity), 1);
}

export function unindexEntity(state: State, key: string, entity: Entity): void {
  removeKey(state.entitiesBySurface, entity.surface, key);
  if (!state.entitiesBySurface.has(entity.surface)) removeOccupied(state, entity.surface);
  removeFrom(state.entitiesByKind, entity.kind, key);
  const group = groupKey(entity);
  removeFrom(state.vanished, group, key);
  addCount(state.counts, group, -1);
  if (entity.unknownSince !== undefined) addCount(state.unknownCounts, group, -1);
}

/** Nothing sure is known of an indexed entity from then on. */
export function setUnknown(state: State, entity: Entity, since: Instant): void {
  if (entity.unknownSince === undefined) addCount(state.unknownCounts, groupKey(entity), 1);
  Object.assign(entity, { unknownSince: since });
}

/** An indexed entity is known from now on. One that was unknown is another object then. */
export function asKnown(state: State, entity: Entity, shown?: Shown): Entity {
  if (entity.unknownSince === undefined) return entity;
  addCount(state.unknownCounts, groupKey(entity), -1);
  return knownAgain(entity, shown);
}

/** One text for a kind of an aggregator. */
export function groupKey({ aggregator, kind }: Pick<Entity, "aggregator" | "kind">): string {
  return `${aggregator}/${kind}`;
}

/** How many entities a kind of an aggregator has, by `groupKey`. */
export function countOf({ counts }: State, group: string): number {
  return counts.get(group) ?? 0;
}

export function addTo(index: Map<string, Set<string>>, name: string, key: string): void {
  const keys = index.get(name);
  if (keys === undefined) index.set(name, new Set([key]));
  else keys.add(key);
}

function addCount(counts: Map<string, number>, group: string, added: 1 | -1): void {
  const count = (counts.get(group) ?? 0) + added;
  if (count > 0) counts.set(group, count);
  else counts.delete(group);
}

function removeFrom(index: Map<string, Set<string>>, name: string, key: string): void {
  const keys = index.get(name);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(name);
}
