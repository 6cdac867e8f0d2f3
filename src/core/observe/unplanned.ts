import { SELF_SURFACE, surfaceKey, type Observation } from "../../domain/observation.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { Draft } from "../draft.ts";
import { isWhole } from "./doubt.ts";
import { becomeUnknown, forget, type Affected } from "./entity-life.ts";
import { keysOf } from "../entity-index.ts";
import { plannedSurfaces } from "../policy.ts";
import { surfacesOf, type SurfaceState } from "../surface-index.ts";
import { forgetSurface } from "./unchanged-listing.ts";

/**
 * What has left the watch lists: the entities of surfaces that are no longer read have ended. If another surface may
 * list one from now on, such as that of one pool after that of all, it is unknown until that surface was read whole.
 */

/** A whole poll reads every surface of its plan; a piece of one, or a probe, says nothing of the others. */
export function* endOutOfPlan(draft: Draft, observation: Observation, affected: Affected): Slices {
  if (observation.origin !== "poll" || observation.ongoing === true) return;
  const { aggregator, poller, parts } = observation;
  const read =
    plannedSurfaces(draft.policy, observation) ?? new Set(parts.map((part) => part.surface));
  yield* endOthers(draft, { aggregator, poller }, read, affected);
}

/** The same for every poller, when the lists have changed. */
export function* endUnplanned(draft: Draft, affected: Affected): Slices {
  for (const aggregator of draft.policy.aggregators) {
    for (const { name: poller, surfaces } of aggregator.pollers) {
      if (surfaces === undefined) continue;
      yield* endOthers(draft, { aggregator: aggregator.name, poller }, surfaces, affected);
    }
  }
}

function* endOthers(
  draft: Draft,
  { aggregator, poller }: Pick<Observation, "aggregator" | "poller">,
  planned: ReadonlySet<string>,
  affected: Affected,
): Slices {
  const { length } = surfaceKey(aggregator, poller, "");
  const isOver = (key: string): boolean => {
    const surface = key.slice(length);
    return surface !== SELF_SURFACE && !planned.has(surface);
  };
  const { occupied, read } = surfacesOf(draft.state, aggregator, poller);
  const mayList = (name: string, kind: string): boolean => {
    if (!planned.has(name)) return false;
    const surface = read.get(surfaceKey(aggregator, poller, name));
    if (surface?.askedAt === undefined) return true;
    return surface.missing !== true && !isWhole(surface, kind);
  };
  yield* eachInSlices(occupied, (key) => {
    if (!isOver(key)) return;
    for (const one of keysOf(draft, key)) {
      if (mayBeListed(draft, one, mayList)) becomeUnknown(draft, one, affected);
      else forget(draft, one, affected, "unwatched");
    }
  });
  yield* eachInSlices(read.keys(), (key) => {
    if (isOver(key)) forgetSurface(draft.state, key);
  });
}

/**
 * Whether an entity that a whole listing lacks may be in that of another surface of the plan, which could not be read: an
 * order that is watched by its id from now on is left out of the listing of its status.
 */
export function mayBeListedElsewhere(
  draft: Draft,
  { aggregator, poller, name: own }: SurfaceState,
  planned: ReadonlySet<string> | undefined,
  key: string,
): boolean {
  const { read } = surfacesOf(draft.state, aggregator, poller);
  return mayBeListed(draft, key, (name, kind) => {
    if (name === own || planned?.has(name) !== true) return false;
    const surface = read.get(surfaceKey(aggregator, poller, name));
    if (surface?.askedAt === undefined || !surface.ok) return true;
    return surface.missing !== true && !isWhole(surface, kind);
  });
}

/** Whether the entity may be in the listing of a surface that was not read whole yet: what a cut one lacks may be there. */
function mayBeListed(
  { state, policy }: Draft,
  key: string,
  mayList: (surface: string, kind: string) => boolean,
): boolean {
  const entity = state.tables.entity.get(key);
  if (entity === undefined) return false;
  const { kind, id } = entity;
  return (
    policy.kinds
      .get(kind)
      ?.surfaces?.(id)
      .some((name) => mayList(name, kind)) === true
  );
}
