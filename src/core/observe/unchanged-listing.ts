import { changedItems, LONG_LIST } from "../../domain/lists/changed-items.ts";
import { entityKey, type SeenEntity } from "../../domain/entity.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { SurfaceReading } from "../../domain/observation.ts";
import type { Draft } from "../draft.ts";
import { keysOf } from "../entity-index.ts";
import type { AppliedListing, State } from "../state.ts";
import { removeSurface, type SurfaceState } from "../surface-index.ts";
import { countKeys, hasKey, NO_KEYS } from "../surface-keys.ts";
import { revisionOf } from "./revisions.ts";

/**
 * An unchanged listing is the very same value as the one before it: an answer with the same bytes gives
 * the same value, and so does a poll that was recorded as unchanged. It shows nothing new and need not be
 * applied again, which makes a month of records quick to replay. If it were, the same would come out.
 */
type Listing = Extract<SurfaceReading, { ok: true }>;

/** Whether the listing was applied before, and what is known of its surface is still the same. */
export function isApplied(
  state: State,
  surface: SurfaceState,
  { complete, entities, contradictions }: Listing,
): boolean {
  const applied = state.applied.get(surface);
  if (!complete || contradictions !== undefined || applied === undefined) return false;
  return applied.entities === entities && isStillSo(state, applied);
}

/** Whether nothing has changed from which facts of the listing's entities follow. */
function isStillSo(state: State, { enrichedFrom }: AppliedListing): boolean {
  for (const [kind, revision] of enrichedFrom) {
    if (revisionOf(state, kind) !== revision) return false;
  }
  return true;
}

/** The entities of a listing that must be applied, and the keys of the surface that may be absent from it. */
export type ToApply = {
  readonly listed: readonly SeenEntity[];
  readonly absent: Set<string>;
  /** The rest was applied before. */
  readonly after?: AppliedListing;
};

/** All of a listing; of a long one, only what differs from the listing applied before. */
export function* toApply(draft: Draft, surface: SurfaceState, reading: Listing): Slices<ToApply> {
  return (yield* differing(draft, surface, reading)) ?? whole(draft, surface, reading);
}

function whole(draft: Draft, { key }: SurfaceState, { entities }: Listing): ToApply {
  return { listed: entities, absent: new Set(keysOf(draft, key)) };
}

function* differing(
  { state }: Draft,
  surface: SurfaceState,
  { complete, entities, contradictions }: Listing,
): Slices<ToApply | undefined> {
  const after = state.applied.get(surface);
  if (after === undefined || after.entities.length < LONG_LIST) return undefined;
  if (!complete || contradictions !== undefined) return undefined;
  if (!isStillSo(state, after)) return undefined;
  const { gone, fresh } = yield* changedItems(after.entities, entities);
  const { aggregator, key } = surface;
  const keyOf = ({ kind, id }: SeenEntity): string => entityKey({ aggregator, kind, id });
  const known = state.entitiesBySurface.get(key) ?? NO_KEYS;
  const left = new Set<string>();
  yield* eachInSlices(gone, (one) => left.add(keyOf(one)));
  const listed = new Set<string>();
  let isKnown = false;
  yield* eachInSlices(fresh, (one) => {
    const own = keyOf(one);
    listed.add(own);
    // An entity that only differs is both gone and fresh.
    isKnown ||= !left.delete(own) && hasKey(known, own);
  });
  // If an entity is listed twice, the last entry counts, so the whole listing must be applied.
  if (isKnown || listed.size !== fresh.length) return undefined;
  // In the order in which the whole listing would show them absent.
  const absent = new Set<string>();
  yield* eachInSlices(left.size === 0 ? [] : known, (one) => {
    if (left.has(one)) absent.add(one);
  });
  return { listed: fresh, absent, after };
}

/** A listing that was applied to its surface. */
export type Applied = {
  readonly surface: SurfaceState;
  readonly reading: Listing;
  readonly rest: Pick<ToApply, "absent" | "after">;
};

/** Remembers a listing if nothing else is known of its surface, so that applying it again would change nothing. */
export function rememberApplied(
  { state, enrichedFrom }: Draft,
  { surface, reading: { entities }, rest: { absent, after } }: Applied,
): void {
  const known = state.entitiesBySurface.get(surface.key) ?? NO_KEYS;
  if (
    !surface.complete ||
    surface.losses.size + surface.contradictions.size > 0 ||
    absent.values().some((one) => hasKey(known, one)) ||
    // An entity that is listed twice would be applied twice.
    countKeys(known) !== entities.length
  ) {
    state.applied.delete(surface);
    return;
  }
  const applied: AppliedListing = {
    // What was applied before still rests on the revisions of that time.
    enrichedFrom:
      after === undefined ? enrichedFrom : new Map([...enrichedFrom, ...after.enrichedFrom]),
    entities,
  };
  state.applied.set(surface, applied);
}

/** Forgets the listing of a surface, as its entities changed from elsewhere or are unknown. */
export function forgetApplied({ state }: Pick<Draft, "state">, key: string): void {
  const surface = state.surfaces.get(key);
  if (surface !== undefined) state.applied.delete(surface);
}

/** Forgets all: other rules may remember other facts, and after a gap in the observations nothing is known. */
export function forgetAllApplied(state: State): void {
  state.applied.clear();
}

/** Forgets a surface that is no longer read. */
export function forgetSurface(state: State, key: string): void {
  forgetApplied({ state }, key);
  removeSurface(state, key);
}
