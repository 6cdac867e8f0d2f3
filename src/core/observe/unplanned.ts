import { SELF_SURFACE, surfaceKey, type Observation } from "../../domain/observation.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { Draft } from "../draft.ts";
import { forget, type Affected } from "./entity-life.ts";
import { plannedSurfaces } from "../policy.ts";
import { forgetSurface } from "./unchanged-listing.ts";

/** What has left the watch lists: the entities of surfaces that no poll reads any more have ended. */

/** A poll reads every surface of its plan; a piece of one, or a probe, does not concern the others. */
export function* endUnread(draft: Draft, observation: Observation, affected: Affected): Slices {
  if (observation.origin !== "poll" || observation.ongoing === true) return;
  const { aggregator, poller, parts } = observation;
  const read =
    plannedSurfaces(draft.policy, observation) ?? new Set(parts.map((part) => part.surface));
  yield* endOthers(draft, surfaceKey(aggregator, poller, ""), read, affected);
}

/** The same for every poller, when the lists have changed. */
export function* endUnplanned(draft: Draft, affected: Affected): Slices {
  for (const aggregator of draft.policy.aggregators) {
    for (const { name, surfaces } of aggregator.pollers) {
      if (surfaces === undefined) continue;
      yield* endOthers(draft, surfaceKey(aggregator.name, name, ""), surfaces, affected);
    }
  }
}

function* endOthers(
  draft: Draft,
  prefix: string,
  planned: ReadonlySet<string>,
  affected: Affected,
): Slices {
  const isOver = (key: string): boolean => {
    if (!key.startsWith(prefix)) return false;
    const surface = key.slice(prefix.length);
    return surface !== SELF_SURFACE && !planned.has(surface);
  };
  yield* eachInSlices(draft.state.entitiesBySurface, ([key, keys]) => {
    if (isOver(key)) for (const entity of keys) forget(draft, entity, affected);
  });
  yield* eachInSlices(draft.state.surfaces.keys(), (key) => {
    if (isOver(key)) forgetSurface(draft.state, key);
  });
}
