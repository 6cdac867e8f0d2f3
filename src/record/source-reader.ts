import type { Observation, Part, SurfaceReading } from "../domain/observation.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { EntityChange, Piece, Read, SurfaceChange, TallyThen } from "./entry.ts";
import { applyDifference, type Listing } from "./listing.ts";
import { unpackNumbers } from "./number-ranges.ts";
import { lasted } from "./source-writer.ts";

/** A poller of an aggregator, as far as the record has been read. */
export type SourceNow = {
  readonly aggregator: string;
  readonly poller: string;
  readonly surfaces: Map<string, Surface>;
  /** The names of all surfaces that it ever had, by their numbers. */
  readonly names: string[];
  /** Listings that are not whole yet, of surfaces that no reading has named. */
  readonly begun: Map<string, Listing>;
  /** If only what differs is to be read: the surfaces that are, and in how many polls. */
  readonly told: Map<string, number> | undefined;
  /** The pieces of its last poll: what each read, and when that was asked for. */
  last: { readonly pieces: AskedPiece[]; isWhole: boolean };
};

type AskedPiece = { readonly names: Names; readonly askedAt: Instant };
type Names = { readonly size: number; keys(): Iterable<string>; has(name: string): boolean };

/**
 * How much of a record is given. `changes`: of polls in which most was unchanged, only what differs, and how much the
 * rest was; the state after it is the same, except for how fresh each surface is. `marks`: only where chapters begin,
 * what was sent, and which surfaces were probed when, which is much faster.
 */
export type Telling = "all" | "changes" | "marks";

/** In how many polls a changed surface is given, as a listing that lost most of its entries must be read twice. */
const TOLD_POLLS = 3;

type Surface = { readonly listing: Listing; reading: SurfaceReading };

/** Leaves out what this version does not know. */
type KnownFacts = (changes: readonly EntityChange[]) => EntityChange[];

export function newSource(aggregator: string, poller: string, telling: Telling): SourceNow {
  const told = telling === "changes" ? new Map<string, number>() : undefined;
  const last = { pieces: [], isWhole: true };
  return { aggregator, poller, surfaces: new Map(), names: [], begun: new Map(), told, last };
}

/** The observation of a poll that read as the one before it. */
export function observedUnchanged(source: SourceNow, at: Instant, lag: Millis): Observation {
  noteAsked(source, source.surfaces, at - lag, true);
  const { parts, rest } = partsOf(source, source.surfaces, { at, lag, lagOf: () => lag });
  return { ...idOf(source), parts, origin: "poll", durationMs: lag, ...pieceOf({ rest }) };
}

/** The observation of one that read otherwise, or not all. */
export function observedChanged(
  source: SourceNow,
  { parts: changes, gone = [], lag, took, probe, more, earlier, of }: Read,
  at: Instant,
  knownFacts: KnownFacts,
): Observation {
  for (const change of changes) takeIn(source, change, knownFacts);
  for (const surface of gone) {
    source.surfaces.delete(surface);
    source.told?.delete(surface);
  }
  // A surface that reads as before is taken as asked with the poll's first request: never younger.
  const own = new Map(changes.map((change) => [change.surface, change.lag ?? lag]));
  const names =
    probe === 1 ? own : of === undefined ? source.surfaces : new Set(namesOf(source, of));
  if (probe !== 1) noteAsked(source, names, at - lag, more !== 1);
  const lagOf = (surface: string): Millis => own.get(surface) ?? lag;
  const { parts, rest } = partsOf(source, names, { at, lag, lagOf });
  const origin = probe === 1 ? "probe" : "poll";
  const durationMs = took ?? lasted(at, lag, earlier);
  return { ...idOf(source), parts, origin, durationMs, ...pieceOf({ more, earlier, rest }) };
}

/**
 * What was left out of the last poll, as a probe, which does not affect the poller: so the age of each reading is
 * known. Undefined if all of that poll was asked at or after `before`.
 */
export function leftOut(source: SourceNow, before: Instant): Observation | undefined {
  const { surfaces, told, last } = source;
  if (told === undefined || last.pieces.every(({ askedAt }) => askedAt >= before)) return undefined;
  const parts = last.pieces.flatMap(({ names, askedAt }) =>
    [...names.keys()].flatMap((surface): Part[] => {
      const reading = told.has(surface) ? undefined : surfaces.get(surface)?.reading;
      return reading === undefined ? [] : [{ surface, askedAt, reading }];
    }),
  );
  last.pieces.length = 0;
  tellAll(source);
  return { ...idOf(source), parts, origin: "probe", durationMs: 0 };
}

/** From now on every surface is given again, as it may have become unknown in between. */
function tellAll({ surfaces, told }: SourceNow): void {
  for (const surface of surfaces.keys()) if (told?.has(surface) === false) told.set(surface, 1);
}

function noteAsked({ last }: SourceNow, names: Names, askedAt: Instant, isWhole: boolean): void {
  if (last.isWhole) last.pieces.length = 0;
  last.pieces.push({ names, askedAt });
  last.isWhole = isWhole;
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

type Piecemeal = {
  readonly more?: 1 | undefined;
  readonly earlier?: TallyThen | undefined;
  readonly rest: Rest | undefined;
};

function pieceOf({ more, earlier, rest }: Piecemeal): Pick<Observation, "ongoing" | "earlier"> {
  if (more === 1 && rest === undefined) return { ongoing: true };
  if (earlier === undefined && rest === undefined) return {};
  const before = earlier ?? { parts: 0, failed: 0, cut: 0, askedAt: null };
  const askedAt = Math.min(before.askedAt ?? Infinity, rest?.askedAt ?? Infinity);
  const read = { ...before, parts: before.parts + (rest?.parts ?? 0), askedAt };
  return { ...(more === 1 ? { ongoing: true } : {}), earlier: read };
}

function* namesOf({ names }: SourceNow, of: readonly number[]): Generator<string> {
  for (const number of unpackNumbers(of)) {
    const name = names[number];
    // Past the last of them there is none: the page was damaged.
    if (name === undefined) return;
    yield name;
  }
}

/** The unchanged part that is left out: how many surfaces, all of them read well. */
type Rest = { readonly parts: number; readonly askedAt: Instant };

type Asked = {
  readonly at: Instant;
  readonly lag: Millis;
  readonly lagOf: (surface: string) => Millis;
};

/** The readings of these surfaces, or of those of them that are to be given. */
function partsOf(
  { surfaces, told }: SourceNow,
  names: Names,
  { at, lag, lagOf }: Asked,
): { readonly parts: readonly Part[]; readonly rest: Rest | undefined } {
  const parts: Part[] = [];
  for (const surface of told === undefined ? names.keys() : [...told.keys()]) {
    const reading = surfaces.get(surface)?.reading;
    if (reading === undefined || !names.has(surface)) continue;
    parts.push({ surface, askedAt: at - lagOf(surface), reading });
    const polls = (told?.get(surface) ?? 0) - 1;
    if (polls === 0) told?.delete(surface);
    else told?.set(surface, polls);
  }
  const left = told === undefined ? 0 : names.size - parts.length;
  return { parts, rest: left === 0 ? undefined : { parts: left, askedAt: at - lag } };
}

function takeIn(source: SourceNow, change: SurfaceChange, knownFacts: KnownFacts): void {
  const { surfaces, names, begun, told } = source;
  const { surface } = change;
  const before = surfaces.get(surface);
  const known = before ?? { listing: begun.get(surface) ?? new Map(), reading: NOTHING };
  if (before === undefined) {
    begun.delete(surface);
    surfaces.set(surface, known);
    names.push(surface);
  }
  known.reading = readingAfter(known, change, knownFacts);
  told?.set(surface, isPlain(known.reading) ? TOLD_POLLS : Infinity);
}

/** It was read, whole, and there is nothing more to say of it. */
export function isPlain(reading: SurfaceReading): boolean {
  if (!reading.ok || !reading.complete || reading.missing === true) return false;
  return [reading.doubt, reading.contradictions, reading.note].every((said) => said === undefined);
}

/** Brings the listing up to what was read, and gives the reading. */
function readingAfter(
  { listing, reading }: Surface,
  change: SurfaceChange,
  knownFacts: KnownFacts,
): SurfaceReading {
  const { failure, listed, absent } = change;
  if (failure !== undefined) return { ok: false, failure };
  applyDifference(listing, { ...change, listed: knownFacts(listed ?? []) });
  const isSame = listed === undefined && absent === undefined;
  return {
    ok: true,
    complete: change.cut !== 1,
    // The same array as before if nothing differs, as the core then need not go through it.
    entities: isSame && reading.ok ? reading.entities : [...listing.values()],
    ...(change.missing === 1 ? { missing: true as const } : {}),
    ...(change.note === undefined ? {} : { note: change.note }),
    ...(change.doubt === undefined ? {} : { doubt: change.doubt }),
    ...(change.contradictions && { contradictions: change.contradictions }),
  };
}

const NOTHING: SurfaceReading = { ok: true, complete: true, entities: [] };
