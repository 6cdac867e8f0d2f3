import type { Observation, Part, PollTally } from "../domain/observation.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { Entry, Source, SurfaceChange, TallyThen } from "./entry.ts";
import { takeDifference, type Listing } from "./listing.ts";
import { packNumbers } from "./runs.ts";

/** What was last recorded of every surface, and how an observation differs from it. */
export type Readings = {
  /** Nothing is known any more: what comes next is recorded whole. */
  readonly forget: () => void;
  /**
   * Sources that have no number yet, and the entry; undefined where there is nothing to record.
   * `planned`: what a whole poll of it reads, where that is known.
   */
  readonly take: (
    observation: Observation,
    at: Instant,
    planned: ReadonlySet<string> | undefined,
  ) => { readonly sources: readonly Source[]; readonly entry: Taken | undefined };
};

type Taken = { readonly isChange: boolean; readonly make: (dt: Millis) => Entry };

type Known = {
  /** Its number within the source. */
  readonly n: number;
  readonly listing: Listing;
  /** Of the last reading, and not of the listing. */
  said: string;
};

type KnownSource = {
  readonly n: number;
  readonly surfaces: Map<string, Known>;
  /** How many surfaces were ever known. */
  count: number;
};

export function createReadings(): Readings {
  const known = new Map<string, KnownSource>();
  const sourceOf = (aggregator: string, poller: string): [KnownSource, Source[]] => {
    const name = `${aggregator}/${poller}`;
    const found = known.get(name);
    if (found !== undefined) return [found, []];
    const made = { n: known.size, surfaces: new Map<string, Known>(), count: 0 };
    known.set(name, made);
    return [made, [{ t: "source", dt: 0, n: made.n, aggregator, poller }]];
  };
  return {
    forget: () => known.clear(),
    take: (observation, at, planned) => {
      const { aggregator, poller, parts, origin, ongoing, earlier } = observation;
      // A probe of a surface that is not watched any more has read nothing.
      if (origin === "probe" && parts.length === 0) return { sources: [], entry: undefined };
      const [source, sources] = sourceOf(aggregator, poller);
      const { n: s } = source;
      const lag = at - parts.reduce((first, { askedAt }) => Math.min(first, askedAt), at);
      const changes = changesOf(source, observation, at, lag);
      const isWhole = origin === "poll" && ongoing !== true;
      const gone = isWhole ? dropUnplanned(source, surfacesIn(parts), planned) : [];
      const rest = {
        ...(origin === "probe" ? { probe: 1 as const } : {}),
        ...(ongoing === true ? { more: 1 as const } : {}),
        ...(earlier === undefined ? {} : { earlier: tallyThen(earlier) }),
        ...(origin === "probe" ? {} : numbersOf(source, parts)),
        ...(gone.length === 0 ? {} : { gone }),
      };
      const isChange = changes.length + gone.length > 0;
      if (!isChange && Object.keys(rest).length === 0) {
        return { sources, entry: { isChange, make: (dt) => [s, dt, lag] } };
      }
      const make = (dt: Millis): Entry => ({ t: "read", dt, s, lag, parts: changes, ...rest });
      return { sources, entry: { isChange, make } };
    },
  };
}

function tallyThen(tally: PollTally): TallyThen {
  return { ...tally, askedAt: tally.askedAt === Infinity ? null : tally.askedAt };
}

/** The surfaces that read otherwise than before. */
function changesOf(
  source: KnownSource,
  { parts, origin }: Observation,
  at: Instant,
  lag: Millis,
): SurfaceChange[] {
  return parts.flatMap((part) => {
    const change = changeOf(source, part, origin === "probe");
    if (change === undefined) return [];
    const own = at - part.askedAt;
    return [{ surface: part.surface, ...change, ...(own === lag ? {} : { lag: own }) }];
  });
}

/** Undefined where the surface reads as it did before, unless that is to be said. */
function changeOf(
  source: KnownSource,
  { surface, reading }: Part,
  isSaidAnyway: boolean,
): Omit<SurfaceChange, "surface" | "lag"> | undefined {
  const before = source.surfaces.get(surface);
  const known = before ?? { n: source.count, listing: new Map(), said: "" };
  if (before === undefined) {
    source.surfaces.set(surface, known);
    source.count += 1;
  }
  const said = reading.ok
    ? {
        ...(reading.complete ? {} : { cut: 1 as const }),
        ...(reading.note === undefined ? {} : { note: reading.note }),
      }
    : { failure: reading.failure };
  const text = JSON.stringify(said);
  const isSaidAnew = isSaidAnyway || before === undefined || known.said !== text;
  known.said = text;
  const difference = reading.ok ? takeDifference(known.listing, reading.entities) : undefined;
  if (!isSaidAnew && difference === undefined) return undefined;
  return {
    ...said,
    ...(difference !== undefined && difference.listed.length > 0
      ? { listed: difference.listed }
      : {}),
    ...(difference !== undefined && difference.absent.length > 0
      ? { absent: difference.absent }
      : {}),
  };
}

/** Which surfaces were read, where it is not all of them. */
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
  read: ReadonlySet<string>,
  planned: ReadonlySet<string> | undefined,
): string[] {
  const gone = [...surfaces.keys()].filter(
    (surface) => !read.has(surface) && planned?.has(surface) !== true,
  );
  for (const surface of gone) surfaces.delete(surface);
  return gone;
}

function surfacesIn(parts: readonly Part[]): ReadonlySet<string> {
  return new Set(parts.map(({ surface }) => surface));
}
