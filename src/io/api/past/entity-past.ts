import type { Instant, Millis } from "../../../domain/time.ts";

/** What the record has of one entity over a span of time. */
export type EntityPast = {
  /** What was asked for begins here, or what is recorded does. */
  readonly from: Instant;
  readonly until: Instant;
  /** What was known of it, in order; each lasts until the next. If it changed very often, only the newest. */
  readonly states: readonly PastState[];
  /** Of each fact that is a number, over stretches of this length. */
  readonly bucketMs: Millis;
  readonly facts: readonly PastFact[];
};

/** `absent`: it was not there. `not_recorded`: nothing was. */
export const PAST_STATES = ["seen", "unknown", "absent", "not_recorded"] as const;

export type PastState = {
  readonly at: Instant;
  readonly state: (typeof PAST_STATES)[number];
  /** The fact `status`. */
  readonly status: string | undefined;
};

type PastFact = { readonly name: string; readonly buckets: readonly FactBucket[] };

/** The values of a fact in a stretch of time; `last` is the one at its end. One in which it was not known is left out. */
export type FactBucket = {
  readonly from: Instant;
  readonly min: number;
  readonly max: number;
  readonly last: number;
};

export type EntitySpan = { readonly key: string; readonly from: Instant; readonly until: Instant };
