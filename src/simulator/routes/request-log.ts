import type { Instant } from "../../domain/time.ts";

/** One request of the interface as it arrived, and its outcome. */
export type LoggedRequest = {
  /** Counted from 1, without gaps. */
  readonly number: number;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The endpoint's name, or null if there is no such endpoint. */
  readonly endpoint: string | null;
  /** Null if it was not answered. */
  readonly status: number | null;
  /** Whether it changed the world. */
  readonly applied: boolean;
  /** The kinds of the faults that struck it. */
  readonly faults: readonly string[];
};

/** How many of the newest requests are kept. */
export const LOGGED_REQUESTS = 20_000;

/** Adds a request, in constant time on average: the oldest are removed many at a time. */
export function logRequest(log: LoggedRequest[], entry: LoggedRequest): void {
  log.push(entry);
  if (log.length >= 2 * LOGGED_REQUESTS) log.splice(0, log.length - LOGGED_REQUESTS);
}
