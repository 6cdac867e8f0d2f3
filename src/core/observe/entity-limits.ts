import { covers } from "../../domain/hold.ts";
import type { Entity } from "../../domain/entity.ts";
import type { Policy } from "../../domain/step.ts";
import { plannedSurfaces } from "../policy.ts";
import type { State } from "../state.ts";

/** How many entities of each kind that a poller reads an aggregator may have. */
export function mostEntities(
  policy: Policy,
  of: { readonly aggregator: string; readonly poller: string },
): number {
  const { entities, entitiesPerEntry } = policy.limits;
  return Math.max(entities, entitiesPerEntry * (plannedSurfaces(policy, of)?.size ?? 0));
}

/** Whether the entity must be kept even beyond a limit, as people or an open action are concerned with it. */
export function isNeeded({ tables, unsettled }: State, key: string, entity: Entity): boolean {
  if (unsettled.has(key) || tables.quarantine.has(key)) return true;
  return tables.hold
    .values()
    .some(({ scope }) => scope.id !== undefined && covers(scope, scope.rule ?? "", entity));
}
