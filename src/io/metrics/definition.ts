import type { HeartbeatReason } from "../../core/explain/heartbeat.ts";
import type { State } from "../../core/state.ts";
import type { Finding, Policy, StateTable } from "../../domain/step.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { WatchReading } from "../../domain/watch.ts";
import type { Unchanged } from "../aggregator/cache.ts";
import type { TracingReading } from "../tracing/tracing.ts";
import type { PollerSlots } from "../schedule/slot-counts.ts";
import type { Label, LabelValues } from "./labels.ts";

/**
 * Metrics as data: an entry in a file of `definitions/` has the name, help, type and labels of a metric, and
 * where its value comes from. A gauge is read from state at scrape, so that no series outlives its subject; a
 * counter or a histogram counts findings, so that it agrees with the log, or events of the shell.
 */
export type Metric = ScrapedMetric | CountedMetric | LoopDelayMetric;

export type Described = {
  readonly name: string;
  /** One sentence, with the unit if there is one. */
  readonly help: string;
  readonly labels: readonly Label[];
};

/** A metric that is read while a scrape is answered. */
export type ScrapedMetric = Described & {
  readonly type: "gauge" | "counter";
  readonly from: "scrape";
  /**
   * All that it is read from, so that it is read again only if that changed: entities of these kinds, the rows of a
   * table and the policy, or these objects and the policy. A changed object is a new one. A metric that has none of the
   * three is read at every scrape.
   */
  readonly kinds?: readonly string[];
  readonly table?: StateTable;
  readonly objects?: (source: MetricsSource) => readonly object[];
  readonly read: (source: MetricsSource) => Iterable<Series | typeof PAUSE>;
};

/** A metric of events, which the client library keeps. */
export type CountedMetric = Described & {
  readonly from: MetricEvent["type"];
  /** The series that an event of this type adds to, and how much; undefined if none. */
  readonly sample: (event: MetricEvent) => Series | undefined;
} & (
    | { readonly type: "counter" }
    /** Upper bounds, in the metric's own unit. */
    | { readonly type: "histogram"; readonly buckets: readonly number[] }
  );

/** The delay of the event loop, which Node itself measures: `loop-delay.ts`. */
export type LoopDelayMetric = Described & {
  readonly type: "histogram";
  readonly from: "loop-delay";
};

/** The values of a metric's labels, and the value of the series. */
export type Series = readonly [LabelValues, number];

/** Stands between series: the reading may pause here. */
export const PAUSE = undefined;

/** More series of one metric than this are left out: a scrape must end, whatever an aggregator lists. */
export const MOST_SERIES = 10_000;

export type MetricEvent = Finding | ShellEvent;

/** Events outside the core, which no finding reports. */
export type ShellEvent =
  /** A commit to the journal, and how long it took. */
  | { readonly type: "commit"; readonly tookMs: Millis; readonly isOk: boolean }
  /** A bug in the core was caught. */
  | { readonly type: "bug" }
  /** An observation could not be kept: the record has a gap. */
  | { readonly type: "record_lost" }
  | { readonly type: "heartbeat"; readonly outcome: HeartbeatOutcome };

export const HEARTBEAT_OUTCOMES = ["sent", "failed", "withheld"] as const;
export type HeartbeatOutcome = (typeof HEARTBEAT_OUTCOMES)[number];

/** Everything that a scrape reads. */
export type MetricsSource = {
  readonly version: string;
  readonly nodeVersion: string;
  /** A take-over does not change it. */
  readonly startedAt: Instant;
  readonly policy: Policy;
  readonly state: State;
  readonly journalWritable: boolean;
  readonly reload: ReloadReading;
  readonly watched: () => readonly WatchReading[];
  /** How the slots of each schedule went. */
  readonly slots: () => readonly PollerSlots[];
  readonly clients: () => readonly ClientReading[];
  /** Bytes of the journal's files; undefined if there are none. */
  readonly journalBytes?: number | undefined;
  readonly heartbeat?: HeartbeatReading | undefined;
  /** Undefined if nothing is traced. */
  readonly tracing?: TracingReading | undefined;
  /** Undefined if the journal is a file. */
  readonly replica?: ReplicaReading | undefined;
};

/** The role of this replica. */
export type ReplicaReading = {
  readonly isOwner: boolean;
  readonly isDatabaseUp: boolean;
  /** Undefined at a standby. */
  readonly lease: { readonly epoch: number; readonly leftMs: Millis } | undefined;
  readonly takeOvers: number;
  /** Bugs in the core, in all its lives as the owner. */
  readonly bugs: number;
};

/** The outcome of the last reading of rules and config. */
export type ReloadReading = {
  readonly successful: boolean;
  /** When one last succeeded; the start counts. */
  readonly successAt: Instant;
  readonly hash: number;
};

/** The state of the heartbeat. */
export type HeartbeatReading = {
  /** Why it is withheld, or would be if there were one. */
  readonly reasons: readonly HeartbeatReason[];
  /** When it was last answered, 0 before the first; undefined if none is configured. */
  readonly lastSuccessAt: Instant | undefined;
};

/** The state of an aggregator's client. */
export type ClientReading = {
  readonly aggregator: string;
  /** The most reads of polls at once. */
  readonly pollLimit: number;
  readonly unchanged: Unchanged;
};
