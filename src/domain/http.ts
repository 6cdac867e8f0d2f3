import type { Json } from "./result.ts";
import type { Millis } from "./time.ts";

/** HTTP as data: what is asked, what came back, and in which ways a question can fail. */

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Reading and acting have separate credentials; the acting one is attached to actions only. */
export type Purpose = "read" | "act";

/** One request to an aggregator. `path` is relative to its base URL and already percent-encoded. */
export type HttpRequest = {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
};

export type HttpReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * Why a question has no usable answer. The list is closed: the same words in log, metric and page.
 *
 * - `timeout`: a phase of the request took too long; if it was applied is not known.
 * - `connect`: no connection, or it broke before an answer.
 * - `status`: an answer with a status that is not a success; `status` has it.
 * - `redirect`: an answer that points elsewhere; it is never followed.
 * - `too_large`: the body passed the size or depth cap.
 * - `malformed`: the body is not JSON.
 * - `mismatch`: JSON of another shape than the wire profile says; the message names the JSON path.
 * - `cancelled`: we gave up ourselves (shutdown, or the poll's own deadline).
 * - `internal`: a bug of ours, reported as a failure so that nothing is concluded from it.
 */
export const FAILURE_REASONS = [
  "timeout",
  "connect",
  "status",
  "redirect",
  "too_large",
  "malformed",
  "mismatch",
  "cancelled",
  "internal",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export type Failure = {
  readonly reason: FailureReason;
  /** For people; holds no credential and is bounded in length. */
  readonly message: string;
  readonly status?: number;
  /** The endpoint that failed, as named in the configuration (`wire.<endpoint>`). */
  readonly endpoint?: string;
  /** How long the server asked us to wait, from `Retry-After`. */
  readonly retryAfterMs?: Millis;
};

/** A failure for people, with its endpoint: a poller may read several. */
export function failureText({ endpoint, message }: Failure): string {
  return endpoint === undefined ? message : `${endpoint}: ${message}`;
}
