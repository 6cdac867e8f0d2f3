import type { SeenEntity } from "../domain/entity.ts";
import { LONG_LIST } from "../domain/lists/changed-items.ts";
import type { Observation, Part, PollTally, SurfaceReading } from "../domain/observation.ts";
import { createSliceCount, type Slices } from "../domain/slices.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { Entry, Piece, SurfaceChange, TallyThen } from "./entry.ts";
import { listingOf, takeDifference, type Listing } from "./listing.ts";
import { packNumbers } from "./number-ranges.ts";

/** What was last recorded of every surface, and how an observation differs from it. */
type SourceWriter = {
  /** Forgets everything: what comes next is recorded whole. */
  readonly forget: () => void;
  /**
   * The entries of an observation; none if there is nothing to record. `isChange`: it reads otherwise
   * than the one before it. `planned`: what a whole poll of it reads, if that is known.
   */
  readonly write: (
    observation: Observation,
    at: Instant,
    planned: ReadonlySet<string> | undefined,
  ) => Slices<Recording>;
};

type Recording = { readonly entries: readonly Entry[]; readonly isChange: boolean };

type KnownSource = {
  readonly n: number;
  readonly surfaces: Map<string, KnownSurface>;
  /** How many surfaces were ever known. */
  count: number;
};

type KnownSurface = {
  /** Its number within the source. */
  readonly n: number;
  /** What it listed last: the same value need not be looked through again. */
  entities: readonly SeenEntity[];
  /** The same by key, if it is long: of a short one it is soon made, and ten thousand of them would be much memory. */
  listing?: Listing | undefined;
  /** How the last reading was, apart from its listing, as JSON. */
  status: string;
};

/** `mostChanges`: so many changes of a listing are in one entry. */
export function createSourceWriter(mostChanges: number): SourceWriter {
  const known = new Map<string, KnownSource>();
  return {
    forget: () => known.clear(),
    write: function* (observation, at, planned) {
      const { aggregator, poller, parts, origin } = observation;
      // A probe of a surface that is not watched any more has read nothing.
      if (origin === "probe" && parts.length === 0) return { entries: [], isChange: false };
      const name = `${aggregator}/${poller}`;
      const before = known.get(name);
      const source = before ?? { n: known.size, surfaces: new Map(), count: 0 };
      known.set(name, source);
      const found = yield* read(source, observation, at, planned, mostChanges);
      if (before !== undefined) return found;
      const numbered: Entry = { t: "source", dt: 0, n: source.n, aggregator, poller };
      return { ...found, entries: [numbered, ...found.entries] };
    },
  };
}

function* read(
  source: KnownSource,
  observation: Observation,
  at: Instant,
  planned: ReadonlySet<string> | undefined,
  mostChanges: number,
): Slices<Recording> {
  const { parts, origin, ongoing, earlier } = observation;
  const lag = at - parts.reduce((first, { askedAt }) => Math.min(first, askedAt), at);
  const found = yield* changesOf(source, observation, at, lag);
  const pieces: Piece[] = [];
  const changes = found.map((change) => inPieces(change, source.n, mostChanges, pieces));
  const isWhole = origin === "poll" && ongoing !== true;
  const gone = isWhole ? dropUnplanned(source, parts, planned) : [];
  const rest = {
    ...(origin === "probe" ? { probe: 1 as const } : {}),
    ...(ongoing === true ? { more: 1 as const } : {}),
    ...(isWhole ? tookOf(observation, at, lag) : {}),
    ...(earlier === undefined ? {} : { earlier: tallyThen(earlier) }),
    ...(origin === "probe" ? {} : numbersOf(source, parts)),
    ...(gone.length === 0 ? {} : { gone }),
  };
  const isChange = changes.length + gone.length > 0;
  const entry: Entry =
    !isChange && Object.keys(rest).length === 0
      ? [source.n, 0, lag]
      : { t: "read", dt: 0, s: source.n, lag, parts: changes, ...rest };
  return { entries: [...pieces, entry], isChange };
}

/** A smaller difference cannot be seen in a chart, so it is not recorded. */
const TOLD_APART: Millis = 100;

function tookOf(
  { durationMs, earlier }: Observation,
  at: Instant,
  lag: Millis,
): { readonly took?: Millis } {
  const reckoned = lasted(at, lag, earlier);
  return Math.abs(durationMs - reckoned) < TOLD_APART ? {} : { took: Math.round(durationMs) };
}

/** How long a poll took as far as its instants say: since the first request of the earliest of its pieces. */
export function lasted(
  at: Instant,
  lag: Millis,
  earlier: { readonly askedAt: Instant | null } | undefined,
): Millis {
  return Math.max(lag, at - (earlier?.askedAt ?? at));
}

/** Adds to `pieces` what is too much for one entry, and gives the rest. */
function inPieces(change: SurfaceChange, s: number, most: number, pieces: Piece[]): SurfaceChange {
  const { surface, listed = [], absent = [] } = change;
  if (listed.length + absent.length <= most) return change;
  for (let from = 0; from < absent.length; from += most) {
    const some = absent.slice(from, from + most);
    pieces.push({ t: "piece", dt: 0, s, surface, absent: some });
  }
  for (let from = 0; from < listed.length; from += most) {
    const some = listed.slice(from, from + most);
    pieces.push({ t: "piece", dt: 0, s, surface, listed: some });
  }
  // A list, even an empty one, says that the listing differs from before.
  return { ...change, listed: [], absent: [] };
}

function tallyThen(tally: PollTally): TallyThen {
  return { ...tally, askedAt: tally.askedAt === Infinity ? null : tally.askedAt };
}

/** The status of a reading of which there is no more to say than what it lists: one text for all such surfaces. */
const READ_WELL = "{}";

/** The surfaces that read otherwise than before. */
function* changesOf(
  source: KnownSource,
  { parts, origin }: Observation,
  at: Instant,
  lag: Millis,
): Slices<SurfaceChange[]> {
  const changes: SurfaceChange[] = [];
  const isSliceOver = createSliceCount();
  for (const part of parts) {
    const change = yield* changeOf(source, part, origin === "probe");
    if (change === undefined) continue;
    const own = at - part.askedAt;
    changes.push({ surface: part.surface, ...change, ...(own === lag ? {} : { lag: own }) });
    if (isSliceOver(change.listed?.length ?? 1)) yield;
  }
  return changes;
}

/** Undefined if the surface reads as it did before, unless that is `always` to be recorded. */
function* changeOf(
  source: KnownSource,
  { surface, reading }: Part,
  always: boolean,
): Slices<Omit<SurfaceChange, "surface" | "lag"> | undefined> {
  const before = source.surfaces.get(surface);
  const known = before ?? newSurface(source.count++);
  source.surfaces.set(surface, known);
  const status = reading.ok
    ? {
        ...(reading.complete ? {} : { cut: 1 as const }),
        ...(reading.missing === true ? { missing: 1 as const } : {}),
        ...(reading.note === undefined ? {} : { note: reading.note }),
        ...(reading.doubt === undefined ? {} : { doubt: reading.doubt }),
        ...(reading.contradictions && { contradictions: reading.contradictions }),
      }
    : { failure: reading.failure };
  const text = JSON.stringify(status);
  const isOther = known.status !== text;
  if (isOther) known.status = text;
  const difference = yield* differenceOf(known, reading);
  if (!always && before !== undefined && !isOther && difference === undefined) return undefined;
  const { listed = [], absent = [] } = difference ?? {};
  return {
    ...status,
    ...(listed.length > 0 ? { listed } : {}),
    ...(absent.length > 0 ? { absent } : {}),
  };
}

function newSurface(n: number): KnownSurface {
  return { n, entities: [], listing: undefined, status: READ_WELL };
}

function* differenceOf(
  known: KnownSurface,
  reading: SurfaceReading,
): ReturnType<typeof takeDifference> {
  if (!reading.ok || known.entities === reading.entities) return undefined;
  const { entities: before, listing = listingOf(before) } = known;
  const difference = yield* takeDifference(listing, reading.entities, before);
  known.entities = reading.entities;
  known.listing = reading.entities.length < LONG_LIST ? undefined : listing;
  return difference;
}

/** Which surfaces were read, if it is not all of them. */
function numbersOf(
  { surfaces }: KnownSource,
  parts: readonly Part[],
): { readonly of?: readonly number[] } {
  const numbers = parts.flatMap(({ surface }) => surfaces.get(surface)?.n ?? []);
  return numbers.length === surfaces.size ? {} : { of: packNumbers(numbers) };
}

/** Surfaces that a whole poll does not read have left its plan. */
function dropUnplanned(
  { surfaces }: KnownSource,
  parts: readonly Part[],
  planned: ReadonlySet<string> | undefined,
): string[] {
  const read = new Set(parts.map(({ surface }) => surface));
  const gone = [...surfaces.keys()].filter(
    (surface) => !read.has(surface) && planned?.has(surface) !== true,
  );
  for (const surface of gone) surfaces.delete(surface);
  return gone;
}
