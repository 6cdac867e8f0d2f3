import type { Alert } from "../domain/alert.ts";
import type { Entity, SeenEntity } from "../domain/entity.ts";
import type { Proposal, Remediation } from "../domain/remediation.ts";
import type { ActionName } from "../domain/action.ts";
import type { LeaseReading } from "../domain/lease.ts";
import type { Hold, Silence } from "../domain/hold.ts";
import { STATE_TABLES, type KillSource, type StateTable } from "../domain/step.ts";
import type { Instant, Millis } from "../domain/time.ts";
import type { HomeAlerts, OutboxRow } from "../domain/notification.ts";
import type { Muting } from "../domain/finding.ts";
import type { ChannelState } from "./tell/channel-state.ts";
import type { WatchRow } from "../domain/watch.ts";
import type { PollerSurfaces, SurfaceState } from "./surface-index.ts";
import type { SurfaceKeys } from "./surface-keys.ts";
import { newTimers, type Timers } from "./timers.ts";

/**
 * Everything the core remembers. Only `step` changes it, and it reports each row that it changed.
 * The tables are durable; the rest is made again when the process starts.
 */
export type State = {
  readonly tables: Tables;
  /** When this process started; -Infinity before its `started` event. */
  startedAt: Instant;
  /** The journal that this state came from may be damaged, and is being checked. */
  journalUnchecked: boolean;
  /** Undefined while there is one replica. */
  lease: LeaseReading | undefined;
  /** In a unit of senders: what `home` says. Undefined until that was heard. */
  homeAlerts: HomeAlerts | undefined;
  /** Times since then in which nothing could be read or decided, the newest last. They do not overlap. */
  readonly gaps: Gap[];
  /** The instant of the last event. Instants never go back: the inbox sees to that. */
  at: Instant;
  readonly surfaces: Map<string, SurfaceState>;
  /** Aggregators whose `base_url` a reload has changed since the start: what was read before was read elsewhere. */
  readonly moved: Set<string>;
  /** The same by poller; the key is what its surfaces' keys begin with. */
  readonly surfacesByPoller: Map<string, PollerSurfaces>;
  /** One empty map for all surfaces without losses or contradictions, as each would take 180 bytes. */
  readonly nothing: ReadonlyMap<string, string>;
  readonly entitiesBySurface: Map<string, SurfaceKeys>;
  readonly entitiesByKind: Map<string, Set<string>>;
  /** How many entities there are, by `groupKey`. */
  readonly counts: Map<string, number>;
  /** How many of them are unknown. */
  readonly unknownCounts: Map<string, number>;
  /** How many were left out when the journal was read, by `groupKey`; findings of the start say so. */
  readonly leftOut: Map<string, number>;
  /** Keys of the vanished entities that are kept, the oldest first, by `groupKey`. */
  readonly vanished: Map<string, Set<string>>;
  /** Remediations that are not settled, by the key of their entity: at most one each. */
  readonly unsettled: Map<string, string>;
  /** The same of those that this process has requested, until their answer: one that is settled may be under way. */
  readonly unanswered: Map<string, string>;
  /** Alerts whose action waits for the reading right before it, since when. */
  readonly confirming: Map<string, Confirming>;
  /** What may change the answers of guards about the alerts that want their remediation. */
  readonly waiting: Waiting;
  /** What was sent, oldest first, for the budgets. */
  readonly ledger: LedgerEntry[];
  /** Keys of the alerts that fire. */
  readonly firing: Set<string>;
  /** Keys of the resolved alerts that are still shown, the oldest first. */
  readonly resolved: Set<string>;
  /** Keys of the alerts whose condition is bad, or was when last known, by `stormKey`. */
  readonly bad: Map<string, Set<string>>;
  /** By rule, the entities that were read but that it cannot decide on, each with the facts that are missing. */
  readonly undecided: Map<string, Map<string, string>>;
  /** When alerts move by time alone, and when conditions that read the time may flip. */
  readonly timers: Timers;
  /** What is known of the channels, by name. */
  readonly channels: Map<string, ChannelState>;
  /** Alerts that fire and are not notified, and why. */
  readonly muted: Map<string, Muting>;
  /** How often anything has changed that facts of other entities may follow from (a kind's `enrich`). */
  readonly revisions: Revisions;
  /** The listings that hold all that is known of their surfaces. They only save work, and are not copied. */
  readonly applied: AppliedListings;
};

/** Entities by kind, and how often a listing became complete or cut, from which all kinds may follow. */
type Revisions = { readonly byKind: Map<string, number>; completeness: number };

/** Not a WeakMap: V8 marks what only a WeakMap reaches during the pause of a garbage collection. */
type AppliedListings = Map<SurfaceState, AppliedListing>;

/** The facts of a listing's entities follow from entities of these kinds, at these revisions. */
export type AppliedListing = {
  readonly enrichedFrom: ReadonlyMap<string, number>;
  /** The listing itself. Of a long one, only what differs in the next must be applied. */
  readonly entities: readonly SeenEntity[];
};

/** The durable tables: what a row of each is. */
export type Rows = {
  readonly entity: Entity;
  readonly alert: Alert;
  readonly remediation: Remediation;
  readonly proposal: Proposal;
  readonly attempt: Attempt;
  readonly kill: Kill;
  readonly counter: number;
  readonly hold: Hold;
  readonly silence: Silence;
  /** By the key of the entity. */
  readonly quarantine: Quarantine;
  /** By `stormKey`. */
  readonly storm: Storm;
  /** By `stormKey`. */
  readonly became_bad: BecameBad;
  /** By the key of the entity whose facts are the percentiles. */
  readonly baseline: Baseline;
  /** The outbox, by `rowKey`. */
  readonly notification: OutboxRow;
  /** Operators' entries, and what files and lists over HTTP gave last. */
  readonly watch: WatchRow;
  /** By the key of a surface that was not read since the process started. */
  readonly unread: Unread;
};

export type Tables = { readonly [Table in StateTable]: Map<string, Rows[Table]> };

/** Attempts to repair an entity, over all rules and alerts. */
export type Attempt = {
  lastAt: Instant;
  /** Failed attempts in a row. */
  failures: number;
  /** When a repair of it was last seen to be done, until it is bad again. */
  verifiedAt?: Instant;
  /** How often in a row a repair was undone soon after, and when that was last counted. */
  undone?: number;
  undoneAt?: Instant;
  /** The `lastAt` of the repair that was last seen done and then undone: what comes after is not its doing. */
  undoneRequest?: Instant;
  /** One of the repairs was seen done before it was undone, so it did have an effect. */
  undoneSurely?: true;
  /** Attempts by rule since the entity was last seen in the state that the action aims at. */
  used?: Readonly<Record<string, number>>;
};

/**
 * What is usual: the durations of things that ended while they were watched. Each group keeps its last durations, and
 * has an entity whose facts are their percentiles, so that rules can compare what is going on with them.
 */
export type Baseline = {
  /** The newest last, in milliseconds. */
  readonly durationsMs: Millis[];
  lastAt: Instant;
};

/** Since when nothing sure is known of what the surface lists. */
export type Unread = { readonly since: Instant };

export type Quarantine = { readonly since: Instant; readonly reason: string };

/** Too many are bad at once; or that is over, and the number of actions grows again. */
export type Storm = {
  /** `*` for the ramp after the end of a hold or a kill switch. */
  readonly rule: string;
  readonly aggregator: string;
  readonly since: Instant;
  clearedAt?: Instant;
  detail: string;
};

/**
 * When alerts of a rule on an aggregator last became bad, by their key, the newest last, so that alerts that are no
 * longer bad count too. Only as many are kept as a storm's limit and its numbers need.
 */
export type BecameBad = Record<string, Instant>;

export type Kill = {
  readonly source: KillSource;
  readonly since: Instant;
  readonly by: string;
  readonly reason: string;
};

type Confirming = { readonly requestedAt: Instant; readonly surface: string };

/** What may change the answers of guards, over all alerts. */
export type Waiting = {
  /** Something has changed that answers may follow from. */
  isStale: boolean;
  /** The first instant at which time alone may change an answer. */
  until: Instant;
  /** Surfaces whose next reading may change an answer, even if it shows nothing new. */
  readonly surfaces: Set<string>;
  /** Surfaces whose last reading may change an answer by becoming too old. */
  readonly aging: Set<string>;
  /** None of these readings is too old before then. A new reading puts that off, and is counted here later. */
  youngUntil: Instant;
};

export type Gap = { readonly from: Instant; readonly to: Instant };

export type LedgerEntry = {
  readonly at: Instant;
  readonly aggregator: string;
  readonly rule: string;
  readonly action: ActionName;
};

export function emptyState(): State {
  return {
    tables: Object.fromEntries(STATE_TABLES.map((name) => [name, new Map()])) as Tables,
    startedAt: -Infinity,
    journalUnchecked: false,
    lease: undefined,
    homeAlerts: undefined,
    gaps: [],
    at: 0,
    surfaces: new Map(),
    moved: new Set(),
    surfacesByPoller: new Map(),
    nothing: new Map(),
    entitiesBySurface: new Map(),
    entitiesByKind: new Map(),
    counts: new Map(),
    unknownCounts: new Map(),
    vanished: new Map(),
    leftOut: new Map(),
    unsettled: new Map(),
    unanswered: new Map(),
    confirming: new Map(),
    waiting: {
      isStale: true,
      until: Infinity,
      surfaces: new Set(),
      aging: new Set(),
      youngUntil: Infinity,
    },
    ledger: [],
    firing: new Set(),
    resolved: new Set(),
    bad: new Map(),
    undecided: new Map(),
    timers: newTimers(),
    channels: new Map(),
    muted: new Map(),
    revisions: { byKind: new Map(), completeness: 0 },
    applied: new Map(),
  };
}

/** A deep copy, which may be changed. It takes as much memory again as the state itself. */
export function copyState(state: State): State {
  return { ...structuredClone({ ...state, applied: undefined }), applied: new Map() };
}
