import { entityKey, type Entity } from "../../domain/entity.ts";
import { LISTED_IS_SURE, type Doubt, type Observation } from "../../domain/observation.ts";
import { eachInSlices, type Slices } from "../../domain/slices.ts";
import type { Draft } from "../draft.ts";
import type { State } from "../state.ts";
import type { SurfaceState } from "../surface-index.ts";
import { isVanished } from "./entity-life.ts";

/**
 * Servers often return [] on error, and a listing that lacks most of what it had a moment ago is more
 * often wrong than right. An entity that is absent from it is therefore gone only if the next poll lacks
 * it too: one poll later, and never more. Probes do not settle a doubt: they come within moments, and may meet
 * the same short error. Each kind is judged separately: pairs that come and go say nothing about exchanges.
 * If a listing loses everything at once, every kind is doubted, even one with a single entity.
 */

/** From this many of a kind on, losing more than half at once is doubted; of two or three, losing all. */
const MANY = 4;

/** The kinds of which a whole listing lacks implausibly many at once, each with a sentence for people. */
export function* lossesOf(
  draft: Draft,
  surface: SurfaceState,
  origin: Observation["origin"],
  keys: readonly string[],
  absent: ReadonlySet<string>,
): Slices<ReadonlyMap<string, string>> {
  if (absent.size === 0) return draft.state.nothing;
  const losses = new Map<string, string>();
  const counts = yield* countsOf(draft, keys, absent);
  const all = [...counts.values()];
  const isEmptied =
    all.every(({ known, lost }) => lost === known) &&
    all.reduce((sum, { known }) => sum + known, 0) > 1;
  for (const [kind, { known, lost }] of counts) {
    // The listing before was doubted: this poll settles it either way.
    if (surface.losses.has(kind) && origin === "poll") continue;
    const isDoubtful = known >= MANY ? lost > known / 2 : known > 1 && lost === known;
    if (!isDoubtful && (!isEmptied || lost === 0)) continue;
    const detail = `${lost} of ${known} entities of the kind ${kind} are absent at once: the next poll is to confirm it`;
    losses.set(kind, detail);
  }
  return losses.size === 0 ? draft.state.nothing : losses;
}

type Counts = ReadonlyMap<string, { readonly known: number; readonly lost: number }>;

/** By kind, how many entities were known and how many of them are absent, not counting those already lost. */
function* countsOf(
  draft: Draft,
  keys: readonly string[],
  absent: ReadonlySet<string>,
): Slices<Counts> {
  const counts = new Map<string, { known: number; lost: number }>();
  yield* eachInSlices(keys, (key) => {
    const entity = draft.state.tables.entity.get(key);
    if (entity === undefined) return;
    if (isVanished(draft.policy, entity)) return;
    const count = counts.get(entity.kind) ?? { known: 0, lost: 0 };
    count.known += 1;
    if (absent.has(key)) count.lost += 1;
    counts.set(entity.kind, count);
  });
  return counts;
}

/** Whether the last listing has all that there is of a kind, so that what is absent is gone. */
export function isWhole({ complete, losses }: SurfaceState, kind: string): boolean {
  return complete && !losses.has(kind);
}

/** Whether two listings lack too many of the same kinds. */
export function sameKinds(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): boolean {
  return one.size === other.size && [...one.keys()].every((kind) => other.has(kind));
}

/** Why the last reading of an entity may raise an alert but no action; undefined if nothing is doubtful. */
export function doubtAbout({ surfaces }: State, entity: Entity): Doubt | undefined {
  const surface = surfaces.get(entity.surface);
  if (surface === undefined) return undefined;
  const { contradictions, complete, losses } = surface;
  const said = contradictions.size === 0 ? undefined : contradictions.get(entityKey(entity));
  if (said !== undefined) return { reason: "contradiction", detail: said };
  if (!complete) return surface.doubt ?? { reason: "cut", detail: "its last listing was cut" };
  const loss = losses.get(entity.kind);
  return loss === undefined ? undefined : { reason: "sudden_loss", detail: loss };
}

/** A doubt so strong that, although the entity was read, no alert of it resolves and no repair is verified. */
export function unsureAbout(state: State, entity: Entity): Doubt | undefined {
  const doubt = doubtAbout(state, entity);
  return doubt === undefined || LISTED_IS_SURE.includes(doubt.reason) ? undefined : doubt;
}

/** Says how many entries of a listing are not watched. */
export function describeLeftOut(count: number): string {
  return `more entities than limits.entities: left out: ${count} of this listing`;
}

/** A doubt as people read it, everywhere the same. */
export function describeDoubt({ reason, detail }: Doubt): string {
  return `${reason}: ${detail}`;
}
