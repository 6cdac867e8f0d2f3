import type { SeenEntity } from "../../domain/entity.ts";
import type { SurfaceReading } from "../../domain/observation.ts";
import type { Draft } from "../draft.ts";
import type { State, SurfaceState } from "../state.ts";
import { stirsOf } from "./revisions.ts";

/**
 * A listing that is the very same value as the one before it says nothing new, and need not be looked
 * through. Live readings are decoded anew each time; the recorded world gives the same value again for
 * each poll that was recorded as unchanged, so that a month of them is replayed in seconds.
 *
 * It is no part of the state, which is cloned and compared: without it the same comes out, only later.
 * And it holds no listing in memory that nobody else holds, not even until the end of a long replay, as
 * a weak reference would: a listing is the key, and what is known of it no way back to it.
 */
const taken = new WeakMap<SurfaceState, Taken>();
const takenOf = new WeakMap<readonly SeenEntity[], Taken>();

/** Facts of its entities that follow from elsewhere are as they were while these stirs are counted. */
type Taken = { readonly looked: Draft["looked"] };

type Listing = Extract<SurfaceReading, { ok: true }>;

/** It was taken in before, and all that is known of the surface still is as it says. */
export function isTaken(
  { state }: Draft,
  surface: SurfaceState,
  { complete, entities }: Listing,
): boolean {
  const before = taken.get(surface);
  if (!complete || before === undefined || takenOf.get(entities) !== before) return false;
  for (const [kind, stirs] of before.looked) if (stirsOf(state, kind) !== stirs) return false;
  return true;
}

/** Where the listing says all that there is to say of its surface, reading it again changes nothing. */
export function noteTaken(
  { state, looked }: Draft,
  surface: SurfaceState,
  key: string,
  { entities }: Listing,
  absent: number,
): void {
  // An entity that is listed twice would be taken in twice.
  const size = state.entitiesBySurface.get(key)?.size ?? 0;
  if (!surface.complete || absent > 0 || size !== entities.length) {
    taken.delete(surface);
    return;
  }
  const made = { looked };
  taken.set(surface, made);
  takenOf.set(entities, made);
}

/** What is known of the surface's entities came from elsewhere, or is known no more. */
export function forgetTaken({ state }: Draft, key: string): void {
  const surface = state.surfaces.get(key);
  if (surface !== undefined) taken.delete(surface);
}

/** Other rules may want to remember other facts, and after a standstill nothing is known. */
export function forgetAllTaken(state: State): void {
  for (const surface of state.surfaces.values()) taken.delete(surface);
}
