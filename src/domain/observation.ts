import type { SeenEntity } from "./entity.ts";
import type { Failure } from "./http.ts";
import { joined } from "./identifier.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * Poller: a scheduled question. Poll: one asking of it, which covers one or many surfaces.
 * Surface: what one answer lists (all exchanges; the swaps of one sender). Each entity belongs to
 * just one surface, so a surface that fails makes just its own entities unknown.
 * Observation: the decoded result of a poll.
 */

/**
 * Why a reading is good enough to alert, and not to act. The list is closed: the same words in log, metric and page.
 *
 * - `cut`: a page is full to its cap, and there may be more.
 * - `malformed_names`: entries were left out, as their names are malformed.
 * - `too_many`: it holds more entities than `limits.entities`, and what is beyond was left out.
 * - `sudden_loss`: most of a kind is absent at once; the next poll is to confirm it.
 * - `partial_content`: status 206 or `Content-Range`: it is a part.
 * - `more_elsewhere`: a key or the header `Link` says that there is more.
 * - `total_not_reached`: a key or header names a total greater than what came.
 * - `error_beside_data`: it says that it failed, beside the data.
 * - `duplicate_key`: an object of the body has a key twice, of which a parser silently keeps one.
 * - `stale_cache`: a cache on the way answered, with what it says is stale.
 * - `contradiction`: an entity is said to be two things at once.
 */
export const DOUBT_REASONS = [
  "cut",
  "malformed_names",
  "too_many",
  "sudden_loss",
  "partial_content",
  "more_elsewhere",
  "total_not_reached",
  "error_beside_data",
  "duplicate_key",
  "stale_cache",
  "contradiction",
] as const;
export type DoubtReason = (typeof DOUBT_REASONS)[number];

/** Those that the reply itself says, so that a deployment may mean nothing by them. */
export const SAID_BY_REPLY = [
  "partial_content",
  "more_elsewhere",
  "total_not_reached",
  "error_beside_data",
  "duplicate_key",
  "stale_cache",
  "contradiction",
] as const satisfies readonly DoubtReason[];

export type Doubt = {
  readonly reason: DoubtReason;
  /** For people; holds no credential and is bounded in length. */
  readonly detail: string;
};

/** Who is absent is not known, and who is listed is. Any other doubt leaves nothing sure: it resolves nothing. */
export const LISTED_IS_SURE: readonly DoubtReason[] = [
  "cut",
  "malformed_names",
  "too_many",
  "sudden_loss",
];

/**
 * The decoded answer of one surface.
 * `complete: false` means that the listing was cut: who is in it is sure, who is absent is not.
 */
export type SurfaceReading =
  | {
      readonly ok: true;
      readonly complete: boolean;
      readonly entities: readonly SeenEntity[];
      /** Why it is not complete. */
      readonly doubt?: Doubt;
      /** The entities that it says two things of; the others are as sure as they would be without. */
      readonly contradictions?: readonly Contradiction[];
      /** What people should know of it besides. */
      readonly note?: string;
      /**
       * The aggregator answered 404 for the watched id that the surface is about. That is sure, and a fact of
       * that entity alone: the surface is neither failing nor cut, and what else it had is unknown.
       */
      readonly missing?: true;
    }
  | { readonly ok: false; readonly failure: Failure };

export type Contradiction = {
  readonly kind: string;
  readonly id: string;
  /** What it is said to be, for people: `in the list and in the disabled listing`. */
  readonly detail: string;
};

export type Part = {
  /** The surface's name within its poller: `all`, an order id, a sender's address. */
  readonly surface: string;
  /** When the first request was sent. What was read is never taken to be younger than this. */
  readonly askedAt: Instant;
  readonly reading: SurfaceReading;
};

/** Outcome of a whole poll; the metric label `outcome`. */
export const POLL_OUTCOMES = ["complete", "partial", "truncated", "failed"] as const;
export type PollOutcome = (typeof POLL_OUTCOMES)[number];

export type Observation = {
  readonly aggregator: string;
  readonly poller: string;
  readonly parts: readonly Part[];
  /** A probe reads one surface that the core asked for; a poll reads all of them. */
  readonly origin: "poll" | "probe";
  readonly durationMs: Millis;
  /** A piece of a long poll: more follows, so it does not concern the poller nor other surfaces. */
  readonly ongoing?: true;
  /** What the pieces before it amount to, in the last piece of a long poll; in the past, also what is not repeated. */
  readonly earlier?: PollTally;
};

/** What many parts amount to. */
export type PollTally = {
  readonly parts: number;
  readonly failed: number;
  /** Listings that were read, and cut. */
  readonly cut: number;
  /** The earliest instant at which any of them was asked. */
  readonly askedAt: Instant;
  /** Of the first one that failed. */
  readonly failure?: Failure;
};

/** Adds parts to what those before amount to. */
export function tallyOf(parts: readonly Part[], earlier?: PollTally): PollTally {
  let { parts: count, failed, cut, askedAt } = earlier ?? NOTHING_READ;
  let failure = earlier?.failure;
  for (const { reading, askedAt: at } of parts) {
    count += 1;
    askedAt = Math.min(askedAt, at);
    if (!reading.ok) {
      failed += 1;
      failure ??= reading.failure;
    } else if (!reading.complete && reading.missing !== true) cut += 1;
  }
  return { parts: count, failed, cut, askedAt, ...(failure === undefined ? {} : { failure }) };
}

const NOTHING_READ: PollTally = { parts: 0, failed: 0, cut: 0, askedAt: Infinity };

/** Failed if no surface was read, partial if some were not, truncated if a listing was cut. */
export function pollOutcome(parts: readonly Part[], earlier?: PollTally): PollOutcome {
  return outcomeOf(tallyOf(parts, earlier));
}

/** The same of what was counted already. */
export function outcomeOf({ parts, failed, cut }: PollTally): PollOutcome {
  if (failed > 0) return failed === parts ? "failed" : "partial";
  return cut > 0 ? "truncated" : "complete";
}

/** One text for a surface of a poller of an aggregator. */
export function surfaceKey(aggregator: string, poller: string, surface: string): string {
  return joined(aggregator, poller, surface);
}

/** The inverse of `surfaceKey`: neither an aggregator's nor a poller's name holds a slash. */
export function parseSurfaceKey(key: string): {
  readonly aggregator: string;
  readonly poller: string;
  readonly surface: string;
} {
  const first = key.indexOf("/");
  const second = key.indexOf("/", first + 1);
  return {
    aggregator: key.slice(0, first),
    poller: key.slice(first + 1, second),
    surface: key.slice(second + 1),
  };
}

/** The surface of an entity that the core makes itself: no poll reads it, and none ends it. */
export const SELF_SURFACE = "(self)";
