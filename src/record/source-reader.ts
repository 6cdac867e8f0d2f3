import type { Observation, Part, SurfaceReading } from "../domain/observation.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { EntityChange, Piece, Read, SurfaceChange, TallyThen } from "./entry.ts";
import { applyDifference, type Listing } from "./listing.ts";
import { unpackNumbers } from "./number-ranges.ts";

/** A poller of an aggregator, as far as the record has been read. */
export type SourceNow = {
  readonly aggregator: string;
  readonly poller: string;
  readonly surfaces: Map<string, Surface>;
  /** The names of all surfaces that it ever had, by their numbers. */
  readonly names: string[];
  /** Listings that are not whole yet, of surfaces that no reading has named. */
  readonly begun: Map<string, Listing>;
};

type Surface = { readonly listing: Listing; reading: SurfaceReading };

/** Leaves out what this version does not know. */
type KnownFacts = (changes: readonly EntityChange[]) => EntityChange[];

export function newSource(aggregator: string, poller: string): SourceNow {
  return { aggregator, poller, surfaces: new Map(), names: [], begun: new Map() };
}

/** The observation of a poll that read as the one before it. */
export function observedAgain(source: SourceNow, at: Instant, lag: Millis): Observation {
  const parts = partsOf(source, source.surfaces.keys(), at, () => lag);
  return { ...idOf(source), parts, origin: "poll", durationMs: lag };
}

/** The observation of one that read otherwise, or not all. */
export function observedAnew(
  source: SourceNow,
  { parts: changes, gone = [], lag, probe, more, earlier, of }: Read,
  at: Instant,
  knownFacts: KnownFacts,
): Observation {
  for (const change of changes) takeIn(source, change, knownFacts);
  for (const surface of gone) source.surfaces.delete(surface);
  // A surface that reads as before is taken as asked with the poll's first request: never younger.
  const own = new Map(changes.map((change) => [change.surface, change.lag ?? lag]));
  const names =
    probe === 1 ? own.keys() : of === undefined ? source.surfaces.keys() : namesOf(source, of);
  const parts = partsOf(source, names, at, (surface) => own.get(surface) ?? lag);
  const origin = probe === 1 ? "probe" : "poll";
  return { ...idOf(source), parts, origin, durationMs: lag, ...pieceOf(more, earlier) };
}

/** A part of the listing that the next reading of the surface completes. */
export function takePiece(
  source: SourceNow | undefined,
  { surface, listed = [], absent = [] }: Piece,
  knownFacts: KnownFacts,
): void {
  if (source === undefined) return;
  const { surfaces, begun } = source;
  const listing = surfaces.get(surface)?.listing ?? begun.get(surface) ?? new Map();
  if (!surfaces.has(surface)) begun.set(surface, listing);
  applyDifference(listing, { listed: knownFacts(listed), absent });
}

function idOf({ aggregator, poller }: SourceNow): Pick<Observation, "aggregator" | "poller"> {
  return { aggregator, poller };
}

function pieceOf(
  more: 1 | undefined,
  earlier: TallyThen | undefined,
): Pick<Observation, "ongoing" | "earlier"> {
  return {
    ...(more === 1 ? { ongoing: true } : {}),
    ...(earlier === undefined
      ? {}
      : { earlier: { ...earlier, askedAt: earlier.askedAt ?? Infinity } }),
  };
}

function* namesOf({ names }: SourceNow, of: readonly number[]): Generator<string> {
  for (const number of unpackNumbers(of)) {
    const name = names[number];
    // Past the last of them there is none: the page was damaged.
    if (name === undefined) return;
    yield name;
  }
}

function partsOf(
  { surfaces }: SourceNow,
  names: Iterable<string>,
  at: Instant,
  lagOf: (surface: string) => Millis,
): Part[] {
  const parts: Part[] = [];
  for (const surface of names) {
    const reading = surfaces.get(surface)?.reading;
    if (reading !== undefined) parts.push({ surface, askedAt: at - lagOf(surface), reading });
  }
  return parts;
}

function takeIn(
  { surfaces, names, begun }: SourceNow,
  change: SurfaceChange,
  knownFacts: KnownFacts,
): void {
  const before = surfaces.get(change.surface);
  const known = before ?? { listing: begun.get(change.surface) ?? new Map(), reading: NOTHING };
  if (before === undefined) {
    begun.delete(change.surface);
    surfaces.set(change.surface, known);
    names.push(change.surface);
  }
  const { failure, listed, absent } = change;
  if (failure !== undefined) {
    known.reading = { ok: false, failure };
    return;
  }
  applyDifference(known.listing, { ...change, listed: knownFacts(listed ?? []) });
  const isSame = listed === undefined && absent === undefined && known.reading.ok;
  known.reading = {
    ok: true,
    complete: change.cut !== 1,
    // The same array as before if nothing differs, as the core then need not go through it.
    entities: isSame && known.reading.ok ? known.reading.entities : [...known.listing.values()],
    ...(change.missing === 1 ? { missing: true as const } : {}),
    ...(change.note === undefined ? {} : { note: change.note }),
    ...(change.doubt === undefined ? {} : { doubt: change.doubt }),
    ...(change.contradictions && { contradictions: change.contradictions }),
  };
}

const NOTHING: SurfaceReading = { ok: true, complete: true, entities: [] };
