import { entityKey, type Facts, type Lookup } from "../../domain/entity.ts";
import { surfaceKey } from "../../domain/observation.ts";
import type { Policy } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { groupKey } from "../entity-index.ts";
import { plannedSurfaces } from "../policy.ts";
import type { State } from "../state.ts";
import { surfacesOf } from "../surface-index.ts";
import { isWhole } from "./doubt.ts";
import { revisionOf } from "./revisions.ts";

/** The facts of an entity, and those that follow from other entities as its kind defines. */
export function enriched(draft: Draft, aggregator: string, kind: string, facts: Facts): Facts {
  const { enrich } = draft.policy.kinds.get(kind) ?? {};
  return enrich === undefined ? facts : enrich(facts, lookupOf(draft, aggregator));
}

function lookupOf(draft: Draft, aggregator: string): Lookup {
  const { state, enrichedFrom, foundOfKind } = draft;
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
      const facts = factsOfAll(draft, aggregator, kind);
      foundOfKind.set(group, { revision, facts });
      return facts;
    },
  };
}

function factsOfAll(
  { policy, state }: Draft,
  aggregator: string,
  kind: string,
): readonly Facts[] | undefined {
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
  const areAllKnown = pollers
    .values()
    .every((poller) => isAllKnown(policy, state, aggregator, poller));
  return areAllKnown ? found : undefined;
}

/** Whether every surface of a poller was read, and nothing of what it lists is left out as too many. */
function isAllKnown(policy: Policy, state: State, aggregator: string, poller: string): boolean {
  const { read } = surfacesOf(state, aggregator, poller);
  if (read.values().some(({ leftOut }) => leftOut !== undefined)) return false;
  const planned = plannedSurfaces(policy, { aggregator, poller }) ?? new Set<string>();
  return planned
    .values()
    .every((name) => read.get(surfaceKey(aggregator, poller, name))?.askedAt !== undefined);
}
