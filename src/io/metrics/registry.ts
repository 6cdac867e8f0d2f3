import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Finding, Policy } from "../../domain/step.ts";
import { counters, histograms } from "./counters.ts";
import {
  BUILD_INFO,
  MOST_SERIES,
  SERIES_DROPPED,
  type Described,
  type MetricsSource,
} from "./definition.ts";
import { gauges } from "./gauges.ts";
import { processMetrics } from "./process-metrics.ts";
import { registerSlots, type SlotCounts } from "./slots.ts";

/**
 * The page `/metrics`. The client library keeps counters and histograms; gauges are read from state
 * while a scrape is answered.
 */
export type Metrics = {
  readonly contentType: string;
  readonly render: () => Promise<string>;
  readonly count: (findings: readonly Finding[]) => void;
  /** Begins the series that other rules and settings make known; those that there are stay. */
  readonly expect: (policy: Policy) => void;
};

export function createMetrics(options: {
  readonly version: string;
  readonly nodeVersion: string;
  readonly policy: Policy;
  readonly source: () => MetricsSource;
  /** What became of the schedules' slots. */
  readonly slots: () => readonly SlotCounts[];
  /** Says what broke while a gauge was read; the scrape goes on without it. */
  readonly onError: (metric: string, error: unknown) => void;
}): Metrics {
  const registry = new Registry();
  registerBuildInfo(registry, options);
  registerGauges(registry, options.source, options.onError);
  const { count, expect } = registerFindings(registry);
  expect(options.policy);
  registerSlots(registry, options.slots, options.onError);
  return {
    contentType: registry.contentType,
    render: async () => (await registry.metrics()) + (await processMetrics().metrics()),
    count,
    expect,
  };
}

function registerBuildInfo(
  registry: Registry,
  { version, nodeVersion }: { readonly version: string; readonly nodeVersion: string },
): void {
  const info = new Gauge<string>({ ...described(BUILD_INFO), registers: [registry] });
  info.set({ version, node_version: nodeVersion }, 1);
}

function registerGauges(
  registry: Registry,
  source: () => MetricsSource,
  onError: (metric: string, error: unknown) => void,
): void {
  const dropped = new Gauge<string>({ ...described(SERIES_DROPPED), registers: [] });
  for (const definition of gauges) {
    const { name, read } = definition;
    dropped.set({ metric: name }, 0);
    const gauge: Gauge<string> = new Gauge<string>({
      ...described(definition),
      registers: [registry],
      collect() {
        // One gauge that throws would fail the whole scrape. It has no series then, but no old ones.
        gauge.reset();
        try {
          const series = [...read(source())];
          for (const [labels, value] of series.slice(0, MOST_SERIES)) gauge.set(labels, value);
          dropped.set({ metric: name }, Math.max(0, series.length - MOST_SERIES));
        } catch (error) {
          if (definition.labels.length === 0) gauge.remove({});
          onError(name, error);
        }
      },
    });
  }
  // The last one, as the library reads them in this order and this one counts what the others left out.
  registry.registerMetric(dropped);
}

function registerFindings(registry: Registry): Pick<Metrics, "count" | "expect"> {
  const counting = counters.map((definition) => {
    const counter = new Counter<string>({ ...described(definition), registers: [registry] });
    return { definition, counter };
  });
  const timing = histograms.map((definition) => {
    const settings = { ...described(definition), buckets: [...definition.buckets] };
    const histogram = new Histogram<string>({ ...settings, registers: [registry] });
    return { definition, histogram, begun: new Set<string>() };
  });
  return {
    expect: (policy) => {
      for (const { definition, counter } of counting) {
        for (const series of definition.start(policy)) counter.inc({ ...series }, 0);
      }
      for (const { definition, histogram, begun } of timing) {
        for (const series of definition.start(policy)) {
          const key = JSON.stringify(series);
          // What has counted already must not begin anew.
          if (!begun.has(key)) histogram.zero({ ...series });
          begun.add(key);
        }
      }
    },
    count: (findings) => {
      for (const finding of findings) {
        for (const { definition, counter } of counting) {
          const labels = definition.count(finding);
          if (labels !== undefined) counter.inc({ ...labels });
        }
        for (const { definition, histogram } of timing) {
          const observed = definition.observe(finding);
          if (observed !== undefined) histogram.observe({ ...observed[0] }, observed[1]);
        }
      }
    },
  };
}

function described({ name, help, labels }: Described): {
  name: string;
  help: string;
  labelNames: string[];
} {
  return { name, help, labelNames: [...labels] };
}
