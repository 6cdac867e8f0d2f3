import type { Entity } from "../domain/entity.ts";
import type { State } from "./state.ts";
import { addOccupied, removeOccupied } from "./surface-index.ts";

/** Which entities there are: by surface, by kind, and how many. */

/** The keys of the entities that are read from a surface, as they are now. */
export function keysOf({ state }: { readonly state: State }, surface: string): readonly string[] {
  return [...(state.entitiesBySurface.get(surface) ?? [])];
}

export function indexEntity(state: State, key: string, entity: Entity): void {
  if (!state.entitiesBySurface.has(entity.surface)) addOccupied(state, entity.surface);
  addTo(state.entitiesBySurface, entity.surface, key);
  addTo(state.entitiesByKind, entity.kind, key);
  const group = groupKey(entity);
  state.counts.set(group, countOf(state, group) + 1);
}

export function unindexEntity(state: State, key: string, entity: Entity): void {
  removeFrom(state.entitiesBySurface, entity.surface, key);
  if (!state.entitiesBySurface.has(entity.surface)) removeOccupied(state, entity.surface);
  removeFrom(state.entitiesByKind, entity.kind, key);
  const group = groupKey(entity);
  removeFrom(state.vanished, group, key);
  const rest = countOf(state, group) - 1;
  if (rest > 0) state.counts.set(group, rest);
  else state.counts.delete(group);
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
  // Made empty, it has room for four, and for eight otherwise: mostly there are ten thousand with a few keys each.
  if (keys === undefined) index.set(name, new Set<string>().add(key));
  else keys.add(key);
}

function removeFrom(index: Map<string, Set<string>>, name: string, key: string): void {
  const keys = index.get(name);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(name);
}
