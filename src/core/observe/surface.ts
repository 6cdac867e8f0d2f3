import { entityKey } from "../../domain/entity.ts";
import {
  LISTED_IS_SURE,
  surfaceKey,
  type Doubt,
  type Observation,
  type SurfaceReading,
} from "../../domain/observation.ts";
import type { Slices } from "../../domain/slices.ts";
import type { Draft } from "../draft.ts";
import { keysOf } from "../entity-index.ts";
import { addSurface, type SurfaceState } from "../surface-index.ts";
import { describeLeftOut, lossesOf, sameKinds } from "./doubt.ts";
import type { Affected } from "./entity-life.ts";

/** What is known of a surface as a whole: how good its last listing was as evidence. */

export function surfaceState(
  draft: Draft,
  { aggregator, poller }: Observation,
  name: string,
): SurfaceState {
  const key = surfaceKey(aggregator, poller, name);
  const known = draft.state.surfaces.get(key);
  if (known !== undefined) return known;
  const { nothing } = draft.state;
  const fresh: SurfaceState = {
    key,
    aggregator,
    poller,
    name,
    askedAt: undefined,
    ok: false,
    complete: false,
    everComplete: false,
    losses: nothing,
    contradictions: nothing,
  };
  addSurface(draft.state, fresh);
  return fresh;
}

type Listing = Extract<SurfaceReading, { ok: true }>;

/** What was known of the surface before a listing, and what the listing lacks. */
type Before = { readonly known: readonly string[]; readonly absent: ReadonlySet<string> };

/** A listing with more of a kind than the limit is not whole; a doubt of its own takes precedence. */
export function tooLong(reading: Listing, leftOut: number): Listing {
  const doubt: Doubt = { reason: "too_many", detail: describeLeftOut(leftOut) };
  return { doubt, ...reading, complete: false };
}

/** Notes how good a listing is as evidence. Entities that it makes sure, or unsure, are judged again. */
export function* noteEvidence(
  draft: Draft,
  surface: SurfaceState,
  reading: Listing,
  origin: Observation["origin"],
  { known, absent }: Before,
  affected: Affected,
): Slices {
  const { complete, doubt } = reading;
  const evidence = evidenceOf(surface);
  // Only two whole listings in a row confirm each other: a cut one between them may have shown what both lack.
  const losses = complete
    ? yield* lossesOf(draft, surface, origin, known, absent)
    : draft.state.nothing;
  if (surface.complete !== complete || !sameKinds(surface.losses, losses))
    draft.state.revisions.completeness += 1;
  surface.losses = losses;
  const wasUnsure = isUnsure(surface.doubt);
  delete surface.doubt;
  if (doubt !== undefined) surface.doubt = doubt;
  surface.complete = complete;
  surface.everComplete ||= complete;
  const { contradictions: before } = surface;
  surface.contradictions = contradictionsOf(draft, surface.aggregator, reading);
  const judged =
    wasUnsure === isUnsure(doubt)
      ? [...before.keys(), ...surface.contradictions.keys()]
      : keysOf(draft, surface.key);
  for (const one of judged) affected.changed.add(one);
  // The answers of guards may change even though no fact differs.
  if (evidence !== evidenceOf(surface)) draft.state.waiting.isStale = true;
}

/** What guards know of a listing besides its entities. */
function evidenceOf({
  complete,
  everComplete,
  doubt,
  losses,
  contradictions,
}: SurfaceState): string {
  const found = [
    complete,
    everComplete,
    doubt?.reason,
    [...losses.keys()],
    [...contradictions.keys()],
  ];
  return JSON.stringify(found);
}

function isUnsure(doubt: Doubt | undefined): boolean {
  return doubt !== undefined && !LISTED_IS_SURE.includes(doubt.reason);
}

function contradictionsOf(
  { state }: Draft,
  aggregator: string,
  { contradictions = [] }: Listing,
): ReadonlyMap<string, string> {
  if (contradictions.length === 0) return state.nothing;
  return new Map(
    contradictions.map(({ kind, id, detail }): [string, string] => [
      entityKey({ aggregator, kind, id }),
      detail,
    ]),
  );
}
