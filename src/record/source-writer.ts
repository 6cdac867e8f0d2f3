import type { Observation, Part, PollTally } from "../domain/observation.ts";
import type { Slices } from "../domain/slices.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { Entry, SurfaceChange, TallyThen } from "./entry.ts";
import { takeDifference, type Listing } from "./listing.ts";
import { packNumbers } from "./number-ranges.ts";

/** What was last recorded of every surface, and how an observation differs from it. */
export type SourceWriter = {
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
  ) => Slices<{ readonly entries: readonly Entry[]; readonly isChange: boolean }>;
};

type KnownSource = {
  readonly n: number;
  readonly surfaces: Map<string, KnownSurface>;
  /** How many surfaces were ever known. */
  count: number;
};

type KnownSurface = {
  /** Its number within the source. */
  readonly n: number;
  readonly listing: Listing;
  /** How the last reading was, apart from its listing, as JSON. */
  status: string;
};

export function createSourceWriter(): SourceWriter {
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
      const entries: Entry[] =
        before === undefined ? [{ t: "source", dt: 0, n: source.n, aggregator, poller }] : [];
      const { entry, isChange } = yield* read(source, observation, at, planned);
      return { entries: [...entries, entry], isChange };
    },
  };
}

function* read(
  source: KnownSource,
  observation: Observation,
  at: Instant,
  planned: ReadonlySet<string> | undefined,
): Slices<{ readonly entry: Entry; readonly isChange: boolean }> {
  const { parts, origin, ongoing, earlier } = observation;
  const lag = at - parts.reduce((first, { askedAt }) => Math.min(first, askedAt), at);
  const changes = yield* changesOf(source, observation, at, lag);
  const isWhole = origin === "poll" && ongoing !== true;
  const gone = isWhole ? dropUnplanned(source, parts, planned) : [];
  const rest = {
    ...(origin === "probe" ? { probe: 1 as const } : {}),
    ...(ongoing === true ? { more: 1 as const } : {}),
    ...(earlier === undefined ? {} : { earlier: tallyThen(earlier) }),
    ...(origin === "probe" ? {} : numbersOf(source, parts)),
    ...(gone.length === 0 ? {} : { gone }),
  };
  const isChange = changes.length + gone.length > 0;
  const entry: Entry =
    !isChange && Object.keys(rest).length === 0
      ? [source.n, 0, lag]
      : { t: "read", dt: 0, s: source.n, lag, parts: changes, ...rest };
  return { entry, isChange };
}

function tallyThen(tally: PollTally): TallyThen {
  return { ...tally, askedAt: tally.askedAt === Infinity ? null : tally.askedAt };
}

/** The surfaces that read otherwise than before. */
function* changesOf(
  source: KnownSource,
  { parts, origin }: Observation,
  at: Instant,
  lag: Millis,
): Slices<SurfaceChange[]> {
  const changes: SurfaceChange[] = [];
  for (const part of parts) {
    const change = yield* changeOf(source, part, origin === "probe");
    if (change === undefined) continue;
    const own = at - part.askedAt;
    changes.push({ surface: part.surface, ...change, ...(own === lag ? {} : { lag: own }) });
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
  const known = before ?? { n: source.count++, listing: new Map(), status: "" };
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
  known.status = text;
  const difference = reading.ok
    ? yield* takeDifference(known.listing, reading.entities)
    : undefined;
  if (!always && before !== undefined && !isOther && difference === undefined) return undefined;
  const { listed = [], absent = [] } = difference ?? {};
  return {
    ...status,
    ...(listed.length > 0 ? { listed } : {}),
    ...(absent.length > 0 ? { absent } : {}),
  };
}

/** Which surfaces were read, if it is not all of them. */
function numbersOf(
  { surfaces }: KnownSource,
  parts: readonly Part[],
): { readonly of?: readonly number[] } {
  const numbers = parts.flatMap(({ surface }) => surfaces.get(surface)?.n ?? []);
  const isAll = numbers.length === parts.length && numbers.length === surfaces.size;
  return isAll ? {} : { of: packNumbers(numbers) };
}

/** What a whole poll does not read has left its plan. */
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
