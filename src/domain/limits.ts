/** Limits of what is remembered of aggregators' answers, so that no answer can fill the memory. */
export type EntityLimits = {
  /** Entities of one kind of one aggregator; beyond this, new ones are left out. */
  readonly entities: number;
  /** Used if it allows more: this many for each surface (such as a watch-list entry) that the kind's poller reads. */
  readonly entitiesPerEntry: number;
  /** Vanished entities that are kept, of one kind of one aggregator; the oldest are dropped. */
  readonly vanished: number;
};

export const DEFAULT_LIMITS: EntityLimits = {
  entities: 10_000,
  entitiesPerEntry: 10,
  vanished: 1_000,
};

/** Why entities are not remembered: a listing held too many, too many vanished, or a start or a reload found too many. */
export const LEFT_OUT_REASONS = ["listed", "vanished", "restored"] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];
