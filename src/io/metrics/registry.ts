import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Finding, Policy } from "../../domain/step.ts";
import { counters, histograms } from "./counters.ts";
import type { MetricsSource } from "./definition.ts";
import { gauges } from "./gauges.ts";
import { registerSlots, type SlotCounts } from "./slots.ts";

/**
 * The page `/metrics`. The client library keeps counters and histograms; gauges are read from state
 * while a scrape is answered.
 */
export type Metrics = {
  readonly contentType: string;
  readonly render: () => Promise<string>;
  readonly count: (findings: readonly Finding[]) => void;
};

/** The library's own metrics that break a naming rule (`_total` on a gauge), or that repeat others. */
const UNWANTED_DEFAULTS = [
  "nodejs_active_resources",
  "nodejs_active_resources_total",
  "nodejs_active_handles",
  "nodejs_active_handles_total",
  "nodejs_active_requests",
  "nodejs_active_requests_total",
  "nodejs_eventloop_utilization_summary",
  "nodejs_eventloop_utilization_histogram",
] as const;

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
  collectDefaultMetrics({ register: registry });
  for (const name of UNWANTED_DEFAULTS) registry.removeSingleMetric(name);
  registerBuildInfo(registry, options);
  registerGauges(registry, options.source, options.onError);
  const count = registerFindings(registry, options.policy);
  registerSlots(registry, options.slots);
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    count,
  };
}

function registerBuildInfo(
  registry: Registry,
  { version, nodeVersion }: { readonly version: string; readonly nodeVersion: string },
): void {
  const info = new Gauge({
    name: "aggwatch_build_info",
    help: "1; the labels say what is running.",
    labelNames: ["version", "node_version"],
    registers: [registry],
  });
  info.set({ version, node_version: nodeVersion }, 1);
}

function registerGauges(
  registry: Registry,
  source: () => MetricsSource,
  onError: (metric: string, error: unknown) => void,
): void {
  for (const { name, help, labels, read } of gauges) {
    const gauge: Gauge<string> = new Gauge<string>({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        // One gauge that throws would fail the whole scrape.
        try {
          gauge.reset();
          for (const [values, value] of read(source())) gauge.set({ ...values }, value);
        } catch (error) {
          onError(name, error);
        }
      },
    });
  }
}

function registerFindings(
  registry: Registry,
  policy: Policy,
): (findings: readonly Finding[]) => void {
  const counting = counters.map((definition) => {
    const { name, help, labels, start } = definition;
    const counter = new Counter<string>({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
    });
    for (const series of start(policy)) counter.inc({ ...series }, 0);
    return { definition, counter };
  });
  const timing = histograms.map((definition) => {
    const { name, help, labels, buckets, start } = definition;
    const histogram = new Histogram<string>({
      name,
      help,
      labelNames: [...labels],
      buckets: [...buckets],
      registers: [registry],
    });
    for (const series of start(policy)) histogram.zero({ ...series });
    return { definition, histogram };
  });
  return (findings) => {
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
  };
}
