import type { Entity } from "../../../domain/entity.ts";
import { succeed, type Result } from "../../../domain/result.ts";
import type { Instant } from "../../../domain/time.ts";
import type { PollHistory } from "../lists/poll-history.ts";
import type { View } from "../lists/view.ts";
import type { InForce } from "./in-force.ts";
import { createKept, type Refusal } from "./kept.ts";
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
  /** As far as it was recorded. */
  readonly inForce: Partial<InForce>;
  /** Kinds of which nothing is kept, as they follow from more than was read. */
  readonly notKept: readonly string[];
};

/** All that lists are made of, now or at an instant that is past. */
export type Moment = {
  readonly view: View;
  readonly polls: Pick<PollHistory, "of">;
  readonly aggregators: readonly string[];
  /** Undefined: this is the present. */
  readonly past: Pick<EntitiesThen, "since" | "gap" | "inForce" | "notKept"> | undefined;
};

type MomentSource = PastSource & {
  readonly polls: Pick<PollHistory, "of">;
  readonly names: () => { readonly aggregator: readonly string[] };
  readonly entitiesAt: (at: Instant) => Promise<Result<EntitiesThen, string>>;
};

/** Answers are made of the present, or of an instant (`at` of a query). */
export type Moments = {
  readonly now: () => Moment;
  readonly at: (at: string | undefined) => Promise<Result<Moment, Refusal>>;
  /** Without entities and polls, of which more is kept: entities are those watched now, for what people call them. */
  readonly viewAt: (at: string | undefined) => Promise<Result<View, Refusal>>;
};

/** Who looks at an instant asks for several lists of it, and steps to and fro. */
const MOST_KEPT = 3;

export function createMoments(source: MomentSource): Moments {
  const views = createKept(MOST_KEPT, (at: Instant) => journalView(source, at));
  const moments = createKept(
    MOST_KEPT,
    async (at: Instant): Promise<Result<Moment, string | Refusal>> => {
      const view = await views(at);
      if (!view.ok) return view;
      const then = await source.entitiesAt(at);
      if (!then.ok) return then;
      const { polls, aggregators, since, gap, inForce, notKept } = then.value;
      const entities = withOldest(then.value, source.view(), at);
      return succeed({
        view: { ...view.value, entities },
        polls,
        aggregators,
        past: { since, gap, inForce, notKept },
      });
    },
  );
  const now = (): Moment => ({
    view: source.view(),
    polls: source.polls,
    aggregators: source.names().aggregator,
    past: undefined,
  });
  return {
    now,
    at: async (at) => (at === undefined ? succeed(now()) : await moments(Date.parse(at))),
    viewAt: async (at) => {
      if (at === undefined) return succeed(source.view());
      const view = await views(Date.parse(at));
      return view.ok ? succeed({ ...view.value, entities: source.view().entities }) : view;
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
