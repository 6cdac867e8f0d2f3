import type { SeenEntity } from "../../domain/entity.ts";
import { LISTED_IS_SURE, type Part } from "../../domain/observation.ts";
import type { Step } from "../run-event.ts";
import { entityGroups, groupOf, mostEntities } from "./entity-bounds.ts";
import type { KnownEntity } from "./known-entity.ts";

/** What one listing shows, and how far it can be believed. */

/** Whether the reading is in doubt about the entity: it may raise alerts, but resolves and verifies nothing. */
export function isUnsure(
  reading: Part["reading"],
  { kind, id }: Pick<SeenEntity, "kind" | "id">,
): boolean {
  if (!reading.ok) return false;
  const { doubt, contradictions = [] } = reading;
  const isPart = doubt !== undefined && !LISTED_IS_SURE.includes(doubt.reason);
  return isPart || contradictions.some((one) => one.kind === kind && one.id === id);
}

/** Whether an entity is left out: it is new, and as many are remembered as the limits allow. */
export function leftOutOf(
  { policy, state }: Step,
  aggregator: string,
): (key: string, seen: SeenEntity) => boolean {
  const most = mostEntities(policy, aggregator);
  let groups: ReturnType<typeof entityGroups> | undefined;
  return (key, { kind }) => {
    if (state.tables.entity.has(key)) return false;
    groups ??= entityGroups(state);
    return (groups.get(groupOf({ aggregator, kind }))?.length ?? 0) >= most;
  };
}

/** The kinds with more than one entity. */
export function severalOf(entities: readonly KnownEntity[]): ReadonlySet<string> {
  const byKind = Map.groupBy(entities, ({ id }) => id.kind);
  return new Set([...byKind].flatMap(([kind, those]) => (those.length > 1 ? [kind] : [])));
}

/** Whether half or more of the entities of any kind, and at least two, are gone. */
export function lacksHalf(before: readonly KnownEntity[], now: readonly SeenEntity[]): boolean {
  const there = new Set(now.map(({ kind, id }) => `${kind} ${id}`));
  return [...Map.groupBy(before, ({ id }) => id.kind).values()].some((those) => {
    const lost = those.filter(({ id }) => !there.has(`${id.kind} ${id.id}`));
    return lost.length > 1 && lost.length * 2 >= those.length;
  });
}
