import { surfaceKey } from "../domain/observation.ts";
import type { Instant } from "../domain/time.ts";
import type { Failure } from "../domain/http.ts";
import type { Doubt } from "../domain/observation.ts";

/** What was last read of a surface since the process started. */
export type SurfaceState = {
  /** Its entities hold the same text, and not copies. */
  readonly key: string;
  readonly aggregator: string;
  readonly poller: string;
  readonly name: string;
  /** When the request of the newest successful reading was sent. */
  askedAt: Instant | undefined;
  ok: boolean;
  /** The last listing was whole. */
  complete: boolean;
  /** A whole listing was read since the process started. */
  everComplete: boolean;
  failure?: Failure;
  /** The last reading was a 404 for the watched id. */
  missing?: true;
  /** How many entities of the last listing were left out, as there were too many. */
  leftOut?: number;
  /** Kinds of which the last listing lacked so many at once that the next poll must confirm it. */
  losses: ReadonlyMap<string, string>;
  /** Why the last listing was not complete. */
  doubt?: Doubt;
  /** Where the last listing contradicts itself, by the key of the entity. */
  contradictions: ReadonlyMap<string, string>;
};

/** The surfaces of a poller, by key. */
export type PollerSurfaces = {
  /** Those that were read since the process started. */
  readonly read: Map<string, SurfaceState>;
  /** Those with entities, which may have been read before the process started. */
  readonly occupied: Set<string>;
  /** Every entity of theirs is unknown, as all of them were read too long ago. */
  areAllUnknown: boolean;
};

/** A part of the state. */
type Surfaces = {
  readonly surfaces: Map<string, SurfaceState>;
  readonly surfacesByPoller: Map<string, PollerSurfaces>;
};

/** The surfaces of each poller, so that a poll of one costs what it reads, and not what all pollers read. */

export function surfacesOf(state: Surfaces, aggregator: string, poller: string): PollerSurfaces {
  return surfacesUnder(state, surfaceKey(aggregator, poller, ""));
}

export function addSurface(state: Surfaces, surface: SurfaceState): void {
  const { key } = surface;
  state.surfaces.set(key, surface);
  surfacesUnder(state, pollerPart(key)).read.set(key, surface);
}

export function removeSurface(state: Surfaces, key: string): void {
  state.surfaces.delete(key);
  state.surfacesByPoller.get(pollerPart(key))?.read.delete(key);
}

/** The first entity of a surface was added. */
export function addOccupied(state: Surfaces, key: string): void {
  surfacesUnder(state, pollerPart(key)).occupied.add(key);
}

/** The last entity of a surface was removed. */
export function removeOccupied(state: Surfaces, key: string): void {
  state.surfacesByPoller.get(pollerPart(key))?.occupied.delete(key);
}

function surfacesUnder(state: Surfaces, prefix: string): PollerSurfaces {
  const known = state.surfacesByPoller.get(prefix);
  if (known !== undefined) return known;
  const none: PollerSurfaces = { read: new Map(), occupied: new Set(), areAllUnknown: false };
  state.surfacesByPoller.set(prefix, none);
  return none;
}

/** What the keys of all surfaces of a poller begin with. */
function pollerPart(key: string): string {
  return key.slice(0, key.indexOf("/", key.indexOf("/") + 1) + 1);
}
