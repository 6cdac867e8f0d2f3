import { watchedPoller } from "../core/policy.ts";
import type { Policy, WatchedPoller } from "../domain/step.ts";

/**
 * What is watched, as it is recorded: in full if a chapter opens, and after that by what differs.
 * Ten thousand senders of which one has left are then one name, and not ten thousand.
 */
export type WatchedThen = ReadonlyArray<{
  readonly name: string;
  /** Left out by versions that did not record it. */
  readonly address?: number;
  readonly pollers: readonly PollerThen[];
}>;

/** `surfaces` is all of them; `more` and `fewer` are what differs from those before. */
type PollerThen = Omit<WatchedPoller, "surfaces"> & {
  readonly surfaces?: readonly string[];
  readonly more?: readonly string[];
  readonly fewer?: readonly string[];
};

type Watched = Policy["aggregators"];
type Surfaces = ReadonlySet<string>;

/** As it is to be recorded; `before` is what the record had until then. */
export function packWatched(watched: Watched, before: Watched = []): WatchedThen {
  return watched.map(({ pollers, ...aggregator }) => ({
    ...aggregator,
    pollers: pollers.map((poller) => {
      const { surfaces, ...own } = poller;
      const known = surfacesOf(before, aggregator.name, own.name);
      return { ...own, ...packSurfaces(surfaces, known) };
    }),
  }));
}

/** The inverse. */
export function unpackWatched(then: WatchedThen, before: Watched = []): Watched {
  return then.map(({ pollers, ...aggregator }) => ({
    ...aggregator,
    pollers: pollers.map((poller): WatchedPoller => {
      const { surfaces: _, more: _more, fewer: _fewer, ...kept } = poller;
      const known = surfacesOf(before, aggregator.name, kept.name);
      const surfaces = unpackSurfaces(poller, known);
      return surfaces === undefined ? kept : { ...kept, surfaces };
    }),
  }));
}

/** The surfaces of a poller; undefined if they are not known. */
export function surfacesOf(
  watched: Watched,
  aggregator: string,
  poller: string,
): Surfaces | undefined {
  return watchedPoller({ aggregators: watched }, aggregator, poller)?.surfaces;
}

function packSurfaces(
  now: Surfaces | undefined,
  before: Surfaces | undefined,
): Pick<PollerThen, "surfaces" | "more" | "fewer"> {
  if (now === undefined) return {};
  if (before === undefined) return { surfaces: [...now] };
  return { more: without(now, before), fewer: without(before, now) };
}

function unpackSurfaces(
  { surfaces, more, fewer }: PollerThen,
  before: Surfaces | undefined,
): Surfaces | undefined {
  if (surfaces !== undefined) return new Set(surfaces);
  if (more === undefined) return undefined;
  return new Set([...without(before, new Set(fewer)), ...more]);
}

function without(names: Iterable<string> = [], left: ReadonlySet<string>): string[] {
  return [...names].filter((name) => !left.has(name));
}
