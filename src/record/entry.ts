import type { ActionName, ActionReply } from "../domain/action.ts";
import type { Command } from "../domain/command.ts";
import type { EntityId, Facts } from "../domain/entity.ts";
import type { Failure } from "../domain/http.ts";
import type { Contradiction, Doubt, PollTally } from "../domain/observation.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { InForce } from "../io/api/past/in-force.ts";
import type { WatchedThen } from "./watched.ts";

/**
 * Record: what was observed, in the order in which the loop handled it. It is kept in pages of a few
 * entries. A listing is written as what differs from the one before it, and a poll that read the same
 * as the one before is three numbers, so each page needs those before it, back to the start of its
 * chapter. A chapter begins when the process starts, once a day, and wherever something was lost.
 *
 * The short keys are the format on disk: journals with them exist, so they are never given a new meaning.
 */
export type Entry =
  | Unchanged
  | Opening
  | Source
  | Piece
  | Read
  | Ticked
  | Resumed
  | Sent
  | Acted
  | Commanded
  | Moved
  | Relisted;

/** A poll that read the same as its source's last one: the source's number, `dt`, `lag`. */
export type Unchanged = readonly [source: number, dt: Millis, lag: Millis];

/** The same entry, so long after the one before it. */
export function timed(entry: Entry, dt: Millis): Entry {
  return isUnchanged(entry) ? [entry[0], dt, entry[2]] : { ...entry, dt };
}

/** How long after the entry before it. */
export function timeOf(entry: Entry): Millis {
  return isUnchanged(entry) ? entry[1] : entry.dt;
}

export function isUnchanged(entry: Entry): entry is Unchanged {
  return Array.isArray(entry);
}

type Timed = {
  /** Since the entry before it in its page; the first one's is since the page's own instant. */
  readonly dt: Millis;
};

/**
 * The first entry of a chapter. `start`: the process started. `day`: the chapter before it was
 * long enough. `gap`: what happened until now could not be written.
 */
export const OPENINGS = ["start", "day", "gap"] as const;
export type OpeningReason = (typeof OPENINGS)[number];
export type Opening = Timed & {
  readonly t: "open";
  readonly why: OpeningReason;
  readonly watched: WatchedThen;
  /** Left out by versions that did not record it. */
  readonly inForce?: InForce;
};

/** A page that says that from then on nothing is watched. */
export const NOTHING_MORE = JSON.stringify([
  { t: "open", dt: 0, why: "start", watched: [] } satisfies Opening,
]);

/** Gives a poller of an aggregator its number within the chapter. */
export type Source = Timed & {
  readonly t: "source";
  readonly n: number;
  readonly aggregator: string;
  readonly poller: string;
};

/** A poll or a probe that read otherwise than the one before it. */
export type Read = Timed & {
  readonly t: "read";
  readonly s: number;
  /** From the first request to the instant of the event. What a surface lacks of its own is this. */
  readonly lag: Millis;
  readonly probe?: 1;
  /** How long the whole poll took, if that is other than its instants say: it may have waited for its first request. */
  readonly took?: Millis;
  /** A piece of a long poll, of which more follows. */
  readonly more?: 1;
  /** In the last piece: what those before it amount to. */
  readonly earlier?: TallyThen;
  /**
   * What was read, if it is not all surfaces that are known of the source: numbers of surfaces, as
   * ranges, the first of each and how many it has. Each surface gets the next number of
   * its source when it is first recorded.
   */
  readonly of?: readonly number[];
  /** Only the surfaces that read otherwise; of a probe, the one surface. */
  readonly parts: readonly SurfaceChange[];
  /** Surfaces that are not in the plan any more. */
  readonly gone?: readonly string[];
};

/**
 * A part of what differs in a listing, if that is much: the entry of the reading follows, after others, with the rest.
 * What is absent comes before what is listed.
 */
export type Piece = Timed & {
  readonly t: "piece";
  readonly s: number;
} & Pick<SurfaceChange, "surface" | "listed" | "absent">;

/** JSON knows no infinity, which stands for no request at all. */
export type TallyThen = Omit<PollTally, "askedAt"> & { readonly askedAt: Instant | null };

export type SurfaceChange = {
  readonly surface: string;
  readonly lag?: Millis;
  /** The reading failed; its listing stands as it was, and is what the next one differs from. */
  readonly failure?: Failure;
  /** The listing was cut. */
  readonly cut?: 1;
  /** It was a 404 for the watched id; the listing is then written as one that was cut. */
  readonly missing?: 1;
  readonly note?: string;
  readonly doubt?: Doubt;
  readonly contradictions?: readonly Contradiction[];
  readonly listed?: readonly EntityChange[];
  readonly absent?: ReadonlyArray<readonly [kind: string, id: string]>;
};

/** Of an entity that was listed before, only the facts that differ, and the names of those that went. */
export type EntityChange = readonly [
  kind: string,
  id: string,
  facts: Facts,
  without?: readonly string[],
  parent?: readonly [kind: string, id: string],
];

/** A tick by which something changed; the others are not recorded. */
type Ticked = Timed & { readonly t: "tick" };

/** Nothing could be decided for so long: until then by the daemon's clock, and by whichever clock says more. */
type Resumed = Timed & {
  readonly t: "resumed";
  readonly gap: Millis;
  readonly away: Millis;
};

/** An action was really sent. */
export type Sent = Timed & {
  readonly t: "sent";
  readonly action: ActionName;
  readonly entity: EntityId;
  /** Its answer is recorded whenever it comes. Versions without this left it out if it came after the settling. */
  readonly awaits?: 1;
};

/** The answer to it. */
export type Acted = Timed & {
  readonly t: "acted";
  readonly action: ActionName;
  readonly entity: EntityId;
  readonly outcome: ActionReply["outcome"];
  readonly detail: string;
};

type Commanded = Timed & {
  readonly t: "command";
  readonly by: string;
  readonly reason: string;
  readonly command: Command;
  /** All that stand after it, if it changed any. */
  readonly silences?: InForce["silences"];
};

/** Other rules and settings came into force. */
type Moved = Timed & {
  readonly t: "policy";
  readonly moved: readonly string[];
  readonly watched: WatchedThen;
  readonly inForce?: InForce;
};

/** The watch lists are others; what their sources gave is not recorded. */
type Relisted = Timed & { readonly t: "watch"; readonly watched: WatchedThen };
