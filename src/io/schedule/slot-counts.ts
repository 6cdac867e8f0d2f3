import type { Instant } from "../../domain/time.ts";

/** Counts of the slots of one schedule, by outcome. */
export type SchedulerCounts = {
  /** Polls that were started. */
  readonly started: number;
  /** Slots that passed while the process was too busy to notice them. */
  readonly missed: number;
  /** Slots at which the previous poll was still running. */
  readonly overlapped: number;
  /** Slots left out because the previous polls had failed. */
  readonly backedOff: number;
  /** Slots left out because the aggregator asked for a pause. */
  readonly askedToWait: number;
  /** When its schedule last fired, whatever the outcome, or was replaced by this one. */
  readonly firedAt?: Instant;
};

/** The counts of one poller. */
export type PollerSlots = {
  readonly aggregator: string;
  readonly poller: string;
  readonly counts: SchedulerCounts;
};

export function newCounts(): SchedulerCounts {
  return { started: 0, missed: 0, overlapped: 0, backedOff: 0, askedToWait: 0 };
}
