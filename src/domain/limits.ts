/** The most that is remembered of what aggregators say, so that no answer can fill the memory. */
export type EntityLimits = {
  /** Entities of one kind of one aggregator; beyond it, what is new is left out. */
  readonly entities: number;
  /** If more: so many for each entry of a watch list, or other surface, that the kind's poller reads. */
  readonly entitiesPerEntry: number;
  /** Of one kind of one aggregator, entities that are kept after they have vanished; the oldest go. */
  readonly vanished: number;
};

export const DEFAULT_LIMITS: EntityLimits = {
  entities: 10_000,
  entitiesPerEntry: 10,
  vanished: 1_000,
};

/** Why something that was said is not remembered: its listing held too many, too many vanished, or it was too much at a start. */
export const LEFT_OUT_REASONS = ["listed", "vanished", "restored"] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];
