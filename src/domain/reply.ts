import type { Instant } from "./time.ts";

/** A reply as it came, kept for people. aggwatch itself never reads it again. */
export type RawReply = {
  readonly at: Instant;
  readonly aggregator: string;
  readonly endpoint: string;
  /** The arguments of the request, as JSON. */
  readonly args: string;
  /** The HTTP status. */
  readonly status: number;
  /** Why it could not be read; undefined if it was read. */
  readonly failure: string | undefined;
  /** The body, without credentials. */
  readonly body: string;
};

/** Which replies are kept: none, those that could not be read, or each that differs from the one before. */
export const KEPT_REPLIES = ["none", "failures", "changes"] as const;
export type KeptReplies = (typeof KEPT_REPLIES)[number];
