import type { Entity } from "../../../domain/entity.ts";
import { succeed, type Result } from "../../../domain/result.ts";
import type { Instant } from "../../../domain/time.ts";
import type { PollHistory } from "../lists/poll-history.ts";
import type { View } from "../lists/view.ts";
import type { InForce } from "./in-force.ts";
import { createKept, isOver, type Refusal } from "./kept.ts";
import { journalView, type PastSource } from "./journal-view.ts";

/** The entities at an instant in the past, and the polls until then. */
export type EntitiesThen = {
  readonly entities: ReadonlyMap<string, Entity>;
  readonly aggregators: readonly string[];
  readonly polls: Pick<PollHistory, "of">;
  /** Older readings were not looked at, so nothing is known to be older. */
  readonly since: Instant;
  /** Nothing was recorded between these two, and the instant lies there: the entities are as last known. */
  readonly gap: { readonly from: Instant; readonly until: Instant } | undefined;
  /** As far as it was recorded. */
  readonly inForce: Partial<InForce>;
  /** Kinds that are not kept, because they follow from more than was read. */
  readonly notKept: readonly string[];
};

/** The data for all lists, now or at an instant in the past. */
export type Moment = Pick<EntitiesThen, "aggregators" | "polls"> & {
  readonly view: View;
  /** Undefined in the present. */
  readonly past: Omit<EntitiesThen, "entities" | "aggregators" | "polls"> | undefined;
};

type MomentSource = PastSource & {
  readonly polls: Pick<PollHistory, "of">;
  readonly names: () => { readonly aggregator: readonly string[] };
  readonly entitiesAt: (at: Instant) => Promise<Result<EntitiesThen, string>>;
};

export type Moments = ReturnType<typeof createMoments>;

/** A person who looks at an instant asks for several of its lists, and steps back and forth. */
const MOST_KEPT = 3;

/** Answers are about the present, or about an instant (`at` of a query). */
export function createMoments(source: MomentSource) {
  const lasts = (at: Instant): boolean => isOver(at, source.now());
  const views = createKept(MOST_KEPT, (at: Instant) => journalView(source, at), lasts);
  const moments = createKept(
    MOST_KEPT,
    async (at: Instant): Promise<Result<Moment, string | Refusal>> => {
      const view = await views(at);
      if (!view.ok) return view;
      const then = await source.entitiesAt(at);
      if (!then.ok) return then;
      const { entities, polls, aggregators, ...past } = then.value;
      const aged = withOldest(entities, source.view(), at);
      const recorded = past.inForce.silences;
      const silences = recorded
        ? new Map(recorded.map((one) => [one.id, one]))
        : view.value.silences;
      const whole = { ...view.value, entities: aged, silences };
      return succeed({ view: whole, polls, aggregators, past });
    },
    lasts,
  );
  const now = (): Moment => ({
    view: source.view(),
    polls: source.polls,
    aggregators: source.names().aggregator,
    past: undefined,
  });
  return {
    now,
    at: async (at: string | undefined): Promise<Result<Moment, Refusal>> =>
      at === undefined ? succeed(now()) : await moments(Date.parse(at)),
    /** From the journal alone, without the record: entities are those of now, for their aliases. */
    viewAt: async (at: string | undefined): Promise<Result<View, Refusal>> => {
      if (at === undefined) return succeed(source.view());
      const view = await views(Date.parse(at));
      return view.ok ? succeed({ ...view.value, entities: source.view().entities }) : view;
    },
  };
}

/** Corrects ages: the present may know that an entity is older than the readings that were looked at. */
function withOldest(
  entities: EntitiesThen["entities"],
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
