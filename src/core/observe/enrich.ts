import { entityKey, type Facts, type Lookup } from "../../domain/entity.ts";
import type { Draft } from "../draft.ts";
import { groupKey } from "../entity-index.ts";
import type { State } from "../state.ts";
import { surfacesOf } from "../surface-index.ts";
import { isWhole } from "./doubt.ts";
import { revisionOf } from "./revisions.ts";

/** The facts of an entity, and those that follow from other entities as its kind defines. */
export function enriched(draft: Draft, aggregator: string, kind: string, facts: Facts): Facts {
  const { enrich } = draft.policy.kinds.get(kind) ?? {};
  return enrich === undefined ? facts : enrich(facts, lookupOf(draft, aggregator));
}

function lookupOf({ state, enrichedFrom, foundOfKind }: Draft, aggregator: string): Lookup {
  const note = (kind: string): void => {
    if (!enrichedFrom.has(kind)) enrichedFrom.set(kind, revisionOf(state, kind));
  };
  return {
    one: (kind, id) => {
      note(kind);
      const other = state.tables.entity.get(entityKey({ aggregator, kind, id }));
      return other?.unknownSince === undefined ? other?.facts : undefined;
    },
    all: (kind) => {
      note(kind);
      const group = groupKey({ aggregator, kind });
      const revision = revisionOf(state, kind);
      const before = foundOfKind.get(group);
      if (before?.revision === revision) return before.facts;
      const facts = factsOfAll(state, aggregator, kind);
      foundOfKind.set(group, { revision, facts });
      return facts;
    },
  };
}

function factsOfAll(state: State, aggregator: string, kind: string): readonly Facts[] | undefined {
  const found: Facts[] = [];
  const pollers = new Set<string>();
  for (const key of state.entitiesByKind.get(kind) ?? []) {
    const other = state.tables.entity.get(key);
    if (other === undefined || other.aggregator !== aggregator) continue;
    if (other.unknownSince !== undefined) return undefined;
    const surface = state.surfaces.get(other.surface);
    if (surface !== undefined && !isWhole(surface, kind)) return undefined;
    found.push(other.facts);
    if (surface !== undefined) pollers.add(surface.poller);
  }
  // What a listing has beyond the limit is not known.
  return pollers.values().some((poller) => leavesOut(state, aggregator, poller))
    ? undefined
    : found;
}

function leavesOut(state: State, aggregator: string, poller: string): boolean {
  const { read } = surfacesOf(state, aggregator, poller);
  return read.values().some((surface) => surface.leftOut !== undefined);
}
