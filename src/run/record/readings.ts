import type { Observation, Part } from "../../domain/observation.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { Entry, Source, SurfaceChange } from "./entry.ts";
import { takeDifference, type Listing } from "./listing.ts";

/** What was last recorded of every surface, and how an observation differs from it. */
export type Readings = {
  /** Nothing is known any more: what comes next is recorded whole. */
  readonly forget: () => void;
  /** Sources that have no number yet, and the entry; undefined where there is nothing to record. */
  readonly take: (
    observation: Observation,
    at: Instant,
  ) => { readonly sources: readonly Source[]; readonly entry: Taken | undefined };
};

type Taken = { readonly isChange: boolean; readonly make: (dt: Millis) => Entry };

type Known = {
  readonly listing: Listing;
  /** Of the last reading, and not of the listing. */
  said: string;
};

type KnownSource = { readonly n: number; readonly surfaces: Map<string, Known> };

export function createReadings(): Readings {
  const known = new Map<string, KnownSource>();
  const sourceOf = (aggregator: string, poller: string): [KnownSource, Source[]] => {
    const name = `${aggregator}/${poller}`;
    const found = known.get(name);
    if (found !== undefined) return [found, []];
    const made = { n: known.size, surfaces: new Map<string, Known>() };
    known.set(name, made);
    return [made, [{ t: "source", dt: 0, n: made.n, aggregator, poller }]];
  };
  return {
    forget: () => known.clear(),
    take: ({ aggregator, poller, parts, origin }, at) => {
      // A probe of a surface that is not watched any more has read nothing.
      if (origin === "probe" && parts.length === 0) return { sources: [], entry: undefined };
      const [source, sources] = sourceOf(aggregator, poller);
      const lag = at - parts.reduce((first, { askedAt }) => Math.min(first, askedAt), at);
      const changes = parts.flatMap((part) => {
        const change = changeOf(source, part, origin === "probe");
        if (change === undefined) return [];
        const own = at - part.askedAt;
        return [{ surface: part.surface, ...change, ...(own === lag ? {} : { lag: own }) }];
      });
      const gone = origin === "poll" ? dropUnplanned(source, parts) : [];
      const { n: s } = source;
      if (origin === "poll" && changes.length + gone.length === 0) {
        return { sources, entry: { isChange: false, make: (dt) => [s, dt, lag] } };
      }
      const rest = {
        ...(origin === "probe" ? { probe: 1 as const } : {}),
        parts: changes,
        ...(gone.length === 0 ? {} : { gone }),
      };
      const make = (dt: Millis): Entry => ({ t: "read", dt, s, lag, ...rest });
      return { sources, entry: { isChange: true, make } };
    },
  };
}

/** Undefined where the surface reads as it did before, unless that is to be said. */
function changeOf(
  { surfaces }: KnownSource,
  { surface, reading }: Part,
  isSaidAnyway: boolean,
): Omit<SurfaceChange, "surface" | "lag"> | undefined {
  const before = surfaces.get(surface);
  const known = before ?? { listing: new Map(), said: "" };
  surfaces.set(surface, known);
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

/** A poll reads every surface of its plan: the others have left it. */
function dropUnplanned({ surfaces }: KnownSource, parts: readonly Part[]): string[] {
  if (surfaces.size === parts.length) return [];
  const planned = new Set(parts.map(({ surface }) => surface));
  const gone = [...surfaces.keys()].filter((surface) => !planned.has(surface));
  for (const surface of gone) surfaces.delete(surface);
  return gone;
}
