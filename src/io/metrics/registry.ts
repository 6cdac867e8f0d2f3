import { Counter, Histogram, Registry } from "prom-client";
import type { Change, Finding, Policy } from "../../domain/step.ts";
import { counters } from "./counters.ts";
import type {
  CounterDefinition,
  HistogramDefinition,
  Labels,
  MetricsSource,
} from "./definition.ts";
import { createGaugeReader } from "./gauge-reader.ts";
import { histograms } from "./histograms.ts";
import { registerLines, type LineReading } from "./lines.ts";
import { createMeters, described, type Meters } from "./meters.ts";
import { createPage, shareRenderings } from "./rendering.ts";
import { registerSlots, type SlotCounts } from "./slots.ts";
import type { Bytes, Format } from "./text-format.ts";

/**
 * The page `/metrics`. The client library keeps counters and histograms; gauges are read from state
 * while a scrape is answered.
 */
export type Metrics = {
  /** Scrapes that come while one is answered share its answer. */
  readonly render: (format?: Format) => Promise<Bytes>;
  readonly count: (findings: readonly Finding[]) => void;
  /** An event was handled, and these rows of state changed. */
  readonly changed: (changes: readonly Change[]) => void;
  /** Begins the series that other rules and settings make known, and ends those of aggregators that are gone. */
  readonly expect: (policy: Policy) => void;
  readonly meters: Meters;
};

export type MetricsOptions = {
  readonly version: string;
  readonly nodeVersion: string;
  readonly policy: Policy;
  readonly source: () => MetricsSource;
  /** What became of the schedules' slots. */
  readonly slots: () => readonly SlotCounts[];
  /** How each aggregator is asked. */
  readonly lines: () => readonly LineReading[];
  /** Says what broke while a gauge was read; the scrape goes on without it. */
  readonly onError: (metric: string, error: unknown) => void;
};

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const { count, expect } = registerFindings(registry);
  expect(options.policy);
  const meters = createMeters(registry);
  registerSlots(registry, options.slots, options.onError);
  registerLines(registry, options.lines, options.onError);
  const reader = createGaugeReader(options.source);
  const render = shareRenderings(createPage({ ...options, registry, reader }));
  return {
    render: (format = "prometheus") => render(format),
    count,
    changed: reader.changed,
    expect,
    meters,
  };
}

function registerFindings(registry: Registry): Pick<Metrics, "count" | "expect"> {
  const counting = counters.map((definition) => countingOf(definition, registry));
  const timing = histograms.map((definition) => timingOf(definition, registry));
  return {
    expect: (policy) => {
      const known = new Set(policy.aggregators.map(({ name }) => name));
      for (const one of [...counting, ...timing]) one.expect(policy, known);
    },
    count: (findings) => {
      for (const finding of findings) {
        for (const one of counting) one.count(finding);
        for (const one of timing) one.count(finding);
      }
    },
  };
}

/** A metric of the client library that findings move. */
type Moving = {
  readonly count: (finding: Finding) => void;
  readonly expect: (policy: Policy, aggregators: ReadonlySet<string>) => void;
};

function countingOf(definition: CounterDefinition, registry: Registry): Moving {
  const counter = new Counter<string>({ ...described(definition), registers: [registry] });
  const begun = seriesBegun((labels) => counter.remove(labels));
  return {
    count: (finding) => {
      const labels = definition.count(finding);
      if (labels === undefined) return;
      begun.begin(labels);
      counter.inc({ ...labels });
    },
    expect: (policy, aggregators) => {
      begun.endOthers(aggregators);
      for (const labels of definition.start(policy)) {
        if (begun.begin(labels)) counter.inc({ ...labels }, 0);
      }
    },
  };
}

function timingOf(definition: HistogramDefinition, registry: Registry): Moving {
  const settings = { ...described(definition), buckets: [...definition.buckets] };
  const histogram = new Histogram<string>({ ...settings, registers: [registry] });
  const begun = seriesBegun((labels) => histogram.remove(labels));
  return {
    count: (finding) => {
      const observed = definition.observe(finding);
      if (observed === undefined) return;
      begun.begin(observed[0]);
      histogram.observe({ ...observed[0] }, observed[1]);
    },
    expect: (policy, aggregators) => {
      begun.endOthers(aggregators);
      for (const labels of definition.start(policy)) {
        // What has counted already must not begin anew.
        if (begun.begin(labels)) histogram.zero({ ...labels });
      }
    },
  };
}

function seriesBegun(remove: (labels: Record<string, string>) => void): {
  /** False where it had begun already. */
  readonly begin: (labels: Labels) => boolean;
  readonly endOthers: (aggregators: ReadonlySet<string>) => void;
} {
  const begun = new Map<string, Labels>();
  return {
    begin: (labels) => {
      const key = JSON.stringify(labels);
      if (begun.has(key)) return false;
      begun.set(key, labels);
      return true;
    },
    endOthers: (aggregators) => {
      for (const [key, labels] of begun) {
        const { aggregator } = labels;
        if (aggregator === undefined || aggregators.has(aggregator)) continue;
        begun.delete(key);
        remove({ ...labels });
      }
    },
  };
}
