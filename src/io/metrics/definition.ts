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
 * where its value comes from. A gauge is read from state at scrape, so that what is gone is gone; a
 * counter or a histogram counts findings, so that it says what the log says, or events of the shell.
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
  /** The kinds of entities that alone it is read from: if none has changed since the last scrape, it is not read again. */
  readonly kinds?: readonly string[];
  /** The same for one that is read from the rows of a table and the policy alone. */
  readonly table?: StateTable;
  /**
   * The same for one that is read from these and the policy alone: what has changed is another object. A metric that
   * has none of the three is read at every scrape.
   */
  readonly objects?: (source: MetricsSource) => readonly object[];
  readonly read: (source: MetricsSource) => Iterable<Series | typeof PAUSE>;
};

/** A metric that the client library keeps, and that events move. */
export type CountedMetric = Described & {
  readonly from: MetricEvent["type"];
  /** What an event of this type adds to which series; undefined if nothing. */
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

/** Stands between series: the reading may be interrupted here, and taken up later. */
export const PAUSE = undefined;

/** More series of one metric than this are left out: a scrape must end, whatever an aggregator lists. */
export const MOST_SERIES = 10_000;

export type MetricEvent = Finding | ShellEvent;

/** What happens outside the core, so that no finding reports it. */
export type ShellEvent =
  /** A commit to the journal, and how long it took. */
  | { readonly type: "commit"; readonly tookMs: Millis; readonly isOk: boolean }
  /** A bug in the core was caught. */
  | { readonly type: "bug" }
  /** What was observed could not be kept: the record has a gap. */
  | { readonly type: "record_lost" }
  | { readonly type: "heartbeat"; readonly outcome: HeartbeatOutcome };

export const HEARTBEAT_OUTCOMES = ["sent", "failed", "withheld"] as const;
export type HeartbeatOutcome = (typeof HEARTBEAT_OUTCOMES)[number];

/** What a scrape reads. */
export type MetricsSource = {
  readonly version: string;
  readonly nodeVersion: string;
  readonly policy: Policy;
  readonly state: State;
  readonly journalWritable: boolean;
  readonly reload: ReloadReading;
  readonly watched: () => readonly WatchReading[];
  /** What became of the slots of each schedule. */
  readonly slots: () => readonly PollerSlots[];
  /** How each aggregator is asked. */
  readonly clients: () => readonly ClientReading[];
  /** Bytes of the journal's files; undefined if there are none. */
  readonly journalBytes?: number | undefined;
  readonly heartbeat?: HeartbeatReading | undefined;
  /** Undefined if nothing is traced. */
  readonly tracing?: TracingReading | undefined;
  /** Undefined if the journal is a file. */
  readonly replica?: ReplicaReading | undefined;
};

/** What a replica is to the others. */
export type ReplicaReading = {
  readonly isOwner: boolean;
  readonly isDatabaseUp: boolean;
  /** Undefined at a standby. */
  readonly lease: { readonly epoch: number; readonly leftMs: Millis } | undefined;
  readonly takeOvers: number;
};

/** How the last reading of rules and config came out. */
export type ReloadReading = {
  readonly successful: boolean;
  /** Of the last one that came out; the start counts. */
  readonly successAt: Instant;
  readonly hash: number;
};

/** How the heartbeat is. */
export type HeartbeatReading = {
  /** Why it is withheld, or would be if there were one. */
  readonly reasons: readonly HeartbeatReason[];
  /** When it was last answered, 0 before the first; undefined if none is configured. */
  readonly lastSuccessAt: Instant | undefined;
};

/** What the client of an aggregator says of itself. */
export type ClientReading = {
  readonly aggregator: string;
  /** The most reads of polls at once. */
  readonly pollLimit: number;
  readonly unchanged: Unchanged;
};
