import type { State } from "../../core/state.ts";
import type { HeartbeatReason } from "../../core/explain/heartbeat.ts";
import type { Finding, Policy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { WatchReading } from "../../domain/watch.ts";

/**
 * Metrics as data. Gauges are read from state at scrape, so that what is gone is gone; counters count
 * findings, so that they say what the log says. docs/metrics.md is made from these lists.
 */
export type MetricsSource = {
  readonly policy: Policy;
  readonly state: State;
  readonly journalWritable: boolean;
  readonly reload: ReloadReading;
  readonly watched: () => readonly WatchReading[];
  /** Bytes of the journal's files; undefined where there are none. */
  readonly journalBytes?: number | undefined;
  readonly heartbeat?: HeartbeatReading | undefined;
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
  /** When it was last answered, 0 before the first; undefined where none is configured. */
  readonly lastSuccessAt: Instant | undefined;
};

export type Labels = Readonly<Record<string, string>>;

/** What every metric says of itself. */
export type Described = {
  readonly name: string;
  /** One sentence, with the unit where there is one. */
  readonly help: string;
  readonly labels: readonly string[];
};

/** What runs; it never changes while the process lives. */
export const BUILD_INFO = {
  name: "aggwatch_build_info",
  help: "Always 1; the labels say what is running.",
  labels: ["version", "node_version"],
} as const satisfies Described;

/** More series of one gauge than this are left out: a scrape must end, whatever an aggregator lists. */
export const MOST_SERIES = 10_000;

/** The cap, made visible. */
export const SERIES_DROPPED = {
  name: "aggwatch_series_dropped",
  help: `Series of the metric that the last scrape left out, as it has more than ${MOST_SERIES}.`,
  labels: ["metric"],
} as const satisfies Described;

export type Series = readonly [Labels, number];

/** Stands between series: the reading may be interrupted here, and taken up later. */
export const PAUSE = undefined;

export type GaugeDefinition = Described & {
  /**
   * The kinds of entities that it is read from alone, group by group: a group in which nothing has
   * changed since the last scrape is not read again. Without it, all is read at every scrape.
   */
  readonly kinds?: (source: MetricsSource) => ReadonlyArray<readonly string[]>;
  readonly read: (
    source: MetricsSource,
    kinds: readonly string[],
  ) => Iterable<Series | typeof PAUSE>;
};

export type CounterDefinition = Described & {
  /** Series that exist from the start with 0, so that a rate sees their first increase. */
  readonly start: (policy: Policy) => Iterable<Labels>;
  readonly count: (finding: Finding) => Labels | undefined;
};

export type HistogramDefinition = Described & {
  /** Upper bounds in the metric's own unit. */
  readonly buckets: readonly number[];
  readonly start: (policy: Policy) => Iterable<Labels>;
  readonly observe: (finding: Finding) => readonly [Labels, number] | undefined;
};
