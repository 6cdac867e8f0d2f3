import type { SurfaceReading } from "../../domain/observation.ts";
import type { Draft } from "../draft.ts";
import type { State, SurfaceState } from "../state.ts";
import { revisionOf } from "./revisions.ts";

/**
 * An unchanged listing is the very same value as the one before it: an answer with the same bytes gives
 * the same value, and so does a poll that was recorded as unchanged. It shows nothing new and need not be
 * applied again, which makes a month of records quick to replay. If it were, the same would come out.
 */
type Listing = Extract<SurfaceReading, { ok: true }>;

/** It was applied before, and what is known of the surface is still the same. */
export function isUnchanged(
  { state }: Draft,
  surface: SurfaceState,
  { complete, entities, contradictions }: Listing,
): boolean {
  const applied = state.applied.bySurface.get(surface);
  if (!complete || contradictions !== undefined || applied === undefined) return false;
  if (state.applied.byListing.get(entities) !== applied) return false;
  for (const [kind, revision] of applied.enrichedFrom) {
    if (revisionOf(state, kind) !== revision) return false;
  }
  return true;
}

/** Remembers a listing if it is all that is known of its surface: applying it again changes nothing. */
export function rememberApplied(
  { state, enrichedFrom }: Draft,
  surface: SurfaceState,
  key: string,
  { entities }: Listing,
  absent: number,
): void {
  // An entity that is listed twice would be applied twice.
  const size = state.entitiesBySurface.get(key)?.size ?? 0;
  if (
    !surface.complete ||
    surface.losses.size + surface.contradictions.size > 0 ||
    absent > 0 ||
    size !== entities.length
  ) {
    state.applied.bySurface.delete(surface);
    return;
  }
  const applied = { enrichedFrom };
  state.applied.bySurface.set(surface, applied);
  state.applied.byListing.set(entities, applied);
}

/** What is known of the surface's entities came from elsewhere, or is known no more. */
export function forgetApplied({ state }: Draft, key: string): void {
  const surface = state.surfaces.get(key);
  if (surface !== undefined) state.applied.bySurface.delete(surface);
}

/** Other rules may want to remember other facts, and after a gap in the observations nothing is known. */
export function forgetAllApplied(state: State): void {
  for (const surface of state.surfaces.values()) state.applied.bySurface.delete(surface);
}
