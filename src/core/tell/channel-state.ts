import type { Instant } from "../../domain/time.ts";

/** What is known of a channel since the process started; its rows are durable, this is not. */
export type ChannelState = {
  /** Keys of the rows that wait, by their number, in the order in which they will be sent. */
  readonly waiting: Map<number, string>;
  /** Numbers of those among them that are events. */
  readonly events: Set<number>;
  /** Keys of all its rows. */
  readonly rows: Set<string>;
  /** Since when a batch is under way. */
  sendingSince?: Instant;
  /** Keys of the rows that are still to be sent again in this round. */
  resending: string[];
  resendAt: Instant;
  /** When the Watchdog was last sent: a round may take longer than it may be silent. */
  watchdogAt: Instant;
  /** After a refusal, so many notifications are sent one by one, to find the one that is refused. */
  alone: number;
  /** The subject of the first that was refused alone since the last delivery. */
  refused?: string;
  /** Failed batches in a row. */
  failures: number;
  failingSince?: Instant;
  /** Nothing is sent before this instant. */
  retryAt: Instant;
  /** The receiver asked us to wait so long; a reload ends any other wait. */
  askedUntil: Instant;
  lastError?: { readonly at: Instant; readonly detail: string };
  deliveredAt?: Instant;
};

export function newChannelState(): ChannelState {
  return {
    waiting: new Map(),
    events: new Set(),
    rows: new Set(),
    resending: [],
    resendAt: -Infinity,
    watchdogAt: -Infinity,
    alone: 0,
    failures: 0,
    retryAt: -Infinity,
    askedUntil: -Infinity,
  };
}
