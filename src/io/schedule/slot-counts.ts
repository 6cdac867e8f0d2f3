import type { Instant } from "../../domain/time.ts";

/** What became of the slots of one schedule. */
export type SchedulerCounts = {
  /** Polls that were started. */
  readonly started: number;
  /** Slots that passed while the process was too busy to notice them. */
  readonly missed: number;
  /** Slots at which the poll before was still running. */
  readonly overlapped: number;
  /** Slots left out because the polls before had failed. */
  readonly backedOff: number;
  /** Slots left out because the aggregator asked to be left alone. */
  readonly askedToWait: number;
  /** The last slot at which its schedule fired, whatever came of it. */
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
