import type { Instant } from "../../domain/time.ts";

/** One request of the interface as it arrived, and what became of it. */
export type LoggedRequest = {
  /** Counts from 1, with no gap. */
  readonly number: number;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The endpoint's name, or null if there is no such endpoint. */
  readonly endpoint: string | null;
  /** Null: never answered. */
  readonly status: number | null;
  /** It changed the world. */
  readonly applied: boolean;
  /** The kinds of the faults that struck it. */
  readonly faults: readonly string[];
};

/** The newest so many are kept. */
export const LOGGED_REQUESTS = 20_000;

/** Adds in constant time on average: the oldest are dropped many at a time. */
export function logRequest(log: LoggedRequest[], entry: LoggedRequest): void {
  log.push(entry);
  if (log.length >= 2 * LOGGED_REQUESTS) log.splice(0, log.length - LOGGED_REQUESTS);
}
