import type { State } from "../../core/state.ts";
import type { Finding, Policy } from "../../domain/step.ts";

/**
 * Metrics as data. Gauges are read from state at scrape, so that what is gone is gone; counters count
 * findings, so that they say what the log says. docs/metrics.md is made from these lists.
 */
export type MetricsSource = {
  readonly policy: Policy;
  readonly state: State;
  readonly journalWritable: boolean;
};

export type Labels = Readonly<Record<string, string>>;

export type GaugeDefinition = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (source: MetricsSource) => Iterable<readonly [Labels, number]>;
};

export type CounterDefinition = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Series that exist from the start with 0, so that a rate sees their first increase. */
  readonly start: (policy: Policy) => Iterable<Labels>;
  readonly count: (finding: Finding) => Labels | undefined;
};

export type HistogramDefinition = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in the metric's own unit. */
  readonly buckets: readonly number[];
  readonly start: (policy: Policy) => Iterable<Labels>;
  readonly observe: (finding: Finding) => readonly [Labels, number] | undefined;
};
