import { entityKey, type Facts, type Lookup } from "../../domain/entity.ts";
import type { Draft } from "../draft.ts";
import { isWhole } from "./doubt.ts";
import { revisionOf } from "./revisions.ts";

/** The facts of an entity, and those that follow from other entities as its kind defines. */
export function enriched(draft: Draft, aggregator: string, kind: string, facts: Facts): Facts {
  const { enrich } = draft.policy.kinds.get(kind) ?? {};
  return enrich === undefined ? facts : enrich(facts, lookupOf(draft, aggregator));
}

function lookupOf({ state, enrichedFrom }: Draft, aggregator: string): Lookup {
  const { entity: entities } = state.tables;
  const note = (kind: string): void => {
    if (!enrichedFrom.has(kind)) enrichedFrom.set(kind, revisionOf(state, kind));
  };
  return {
    one: (kind, id) => {
      note(kind);
      const other = entities.get(entityKey({ aggregator, kind, id }));
      return other?.unknownSince === undefined ? other?.facts : undefined;
    },
    all: (kind) => {
      note(kind);
      const found: Facts[] = [];
      for (const key of state.entitiesByKind.get(kind) ?? []) {
        const other = entities.get(key);
        if (other === undefined || other.aggregator !== aggregator) continue;
        if (other.unknownSince !== undefined) return undefined;
        const surface = state.surfaces.get(other.surface);
        if (surface !== undefined && !isWhole(surface, kind)) return undefined;
        found.push(other.facts);
      }
      return found;
    },
  };
}
