import type { Entity } from "../../../domain/entity.ts";
import { fail, succeed, type Result } from "../../../domain/result.ts";
import type { Instant } from "../../../domain/time.ts";
import type { PollHistory } from "../lists/poll-history.ts";
import type { View } from "../lists/view.ts";
import { journalView, type PastSource } from "./journal-view.ts";

/** What was watched at an instant that is past, and how it was read until then. */
export type EntitiesThen = {
  readonly entities: ReadonlyMap<string, Entity>;
  readonly aggregators: readonly string[];
  readonly polls: Pick<PollHistory, "of">;
  /** What was read before this was not looked at, so that nothing is known to be older. */
  readonly since: Instant;
  /** The instant is between these two, between which nothing was recorded: this is as it was last known. */
  readonly gap: { readonly from: Instant; readonly until: Instant } | undefined;
  /** Kinds of which nothing is kept, as they follow from more than was read. */
  readonly notKept: readonly string[];
};

/** All that lists are made of, now or at an instant that is past. */
export type Moment = {
  readonly view: View;
  readonly polls: Pick<PollHistory, "of">;
  readonly aggregators: readonly string[];
  /** Undefined: this is the present. */
  readonly past: Pick<EntitiesThen, "since" | "gap" | "notKept"> | undefined;
};

export type MomentSource = PastSource & {
  readonly polls: Pick<PollHistory, "of">;
  readonly names: () => { readonly aggregator: readonly string[] };
  readonly entitiesAt: (at: Instant) => Promise<Result<EntitiesThen, string>>;
};

/** Answers are made of the present, or of an instant (`at` of a query); the problem is why there is none. */
export type Moments = {
  readonly now: () => Moment;
  readonly at: (at: string | undefined) => Promise<Result<Moment, string>>;
  /** Without entities and polls, of which more is kept. */
  readonly viewAt: (at: string | undefined) => Promise<Result<View, string>>;
};

/** Who looks at an instant asks for several lists of it, and steps to and fro. */
const MOST_KEPT = 3;
/** So many callers may wait for instants that are not made yet. */
const MOST_WAITING = 6;

export function createMoments(source: MomentSource): Moments {
  const views = createKept((at) => journalView(source, at));
  const moments = createKept(async (at): Promise<Result<Moment, string>> => {
    const view = await views(at);
    if (!view.ok) return view;
    const then = await source.entitiesAt(at);
    if (!then.ok) return then;
    const { polls, aggregators, since, gap, notKept } = then.value;
    const entities = withOldest(then.value, source.view(), at);
    return succeed({
      view: { ...view.value, entities },
      polls,
      aggregators,
      past: { since, gap, notKept },
    });
  });
  const now = (): Moment => ({
    view: source.view(),
    polls: source.polls,
    aggregators: source.names().aggregator,
    past: undefined,
  });
  const checked = (at: string): Result<Instant, string> => {
    const then = Date.parse(at);
    return then > source.now() ? fail(`${at} is yet to come`) : succeed(then);
  };
  return {
    now,
    at: async (at) => {
      if (at === undefined) return succeed(now());
      const then = checked(at);
      return then.ok ? await moments(then.value) : then;
    },
    viewAt: async (at) => {
      if (at === undefined) return succeed(source.view());
      const then = checked(at);
      return then.ok ? await views(then.value) : then;
    },
  };
}

/** An entity that is the same since before the record was looked at is as old as it is known to be now. */
function withOldest(
  { entities }: EntitiesThen,
  present: View,
  at: Instant,
): ReadonlyMap<string, Entity> {
  return new Map(
    entities.entries().map(([key, entity]) => {
      const now = present.entities.get(key);
      if (now === undefined || now.firstSeen > at) return [key, entity];
      const firstSeen = Math.min(now.firstSeen, entity.firstSeen);
      const since = now.since > at ? entity.since : Math.min(now.since, entity.since);
      return [key, { ...entity, firstSeen, since }];
    }),
  );
}

/** Makes the value of an instant once for all who ask at the same time, and keeps the last few. */
function createKept<Value>(
  make: (at: Instant) => Promise<Result<Value, string>>,
): (at: Instant) => Promise<Result<Value, string>> {
  const kept = new Map<Instant, Promise<Result<Value, string>>>();
  const waiting = new Set<Instant>();
  const begin = async (at: Instant): Promise<Result<Value, string>> => {
    waiting.add(at);
    try {
      const made = await make(at);
      if (!made.ok) kept.delete(at);
      return made;
    } catch (error) {
      kept.delete(at);
      throw error;
    } finally {
      waiting.delete(at);
    }
  };
  return async (at) => {
    const known = kept.get(at);
    if (known === undefined && waiting.size >= MOST_WAITING)
      return fail("too many look at different instants of the past; try again in a moment");
    const made = known ?? begin(at);
    // The last that was asked for is the last to go.
    kept.delete(at);
    kept.set(at, made);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return await made;
  };
}
