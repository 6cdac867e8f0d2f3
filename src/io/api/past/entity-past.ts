import type { Instant, Millis } from "../../../domain/time.ts";

/** One entity over a span of time, from the record. */
export type EntityPast = {
  /** The start that was asked for, or the start of the record if that is later. */
  readonly from: Instant;
  readonly until: Instant;
  /** In order; each lasts until the next. If the entity changed very often, only the newest. */
  readonly states: readonly PastState[];
  /** The names of the rules for its kind that were in force by then, as far as it was recorded. */
  readonly rules: readonly string[];
  /** The length of the buckets. Only facts that are numbers have any. */
  readonly bucketMs: Millis;
  readonly facts: readonly PastFact[];
};

/** `absent`: the entity was not there. `not_recorded`: nothing was recorded. */
export const PAST_STATES = ["seen", "unknown", "absent", "not_recorded"] as const;

export type PastState = {
  readonly at: Instant;
  readonly state: (typeof PAST_STATES)[number];
  /** The fact `status`. */
  readonly status: string | undefined;
};

type PastFact = { readonly name: string; readonly buckets: readonly FactBucket[] };

/** A fact's values in a stretch of time; `last` is the one at its end. Stretches without a known value are left out. */
export type FactBucket = {
  readonly from: Instant;
  readonly min: number;
  readonly max: number;
  readonly last: number;
};

export type EntitySpan = { readonly key: string; readonly from: Instant; readonly until: Instant };
