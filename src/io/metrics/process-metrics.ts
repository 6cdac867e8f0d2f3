import { collectDefaultMetrics, Registry, type Gauge } from "prom-client";
import { SECOND } from "../../domain/time.ts";

/**
 * The library's metrics that break a naming rule (`_total` on a gauge), that repeat others, or that each scrape resets,
 * so that two scrapers see half each (`loop-delay.ts` replaces those).
 */
const UNWANTED = [
  "nodejs_active_resources",
  "nodejs_active_resources_total",
  "nodejs_active_handles",
  "nodejs_active_handles_total",
  "nodejs_active_requests",
  "nodejs_active_requests_total",
  "nodejs_eventloop_utilization_summary",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_lag_min_seconds",
  "nodejs_eventloop_lag_max_seconds",
  "nodejs_eventloop_lag_mean_seconds",
  "nodejs_eventloop_lag_stddev_seconds",
  "nodejs_eventloop_lag_p50_seconds",
  "nodejs_eventloop_lag_p90_seconds",
  "nodejs_eventloop_lag_p99_seconds",
] as const;

let registry: Registry | undefined;

/**
 * Memory, CPU, event loop and garbage collection. They belong to the process and cannot be stopped (the
 * library never ends its observers), so all watchdogs of a process share one set.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const name of UNWANTED) registry.removeSingleMetric(name);
    measureLagAlone(registry.getSingleMetric("nodejs_eventloop_lag_seconds"));
  }
  return registry;
}

/**
 * The lag is how late the next turn of the event loop comes; the next scrape shows it. The library would also compute
 * seven figures of a histogram for unwanted gauges, which takes a third of the time of all its metrics.
 */
function measureLagAlone(metric: unknown): void {
  const lag = metric as Gauge & { collect: () => void };
  lag.collect = () => {
    const from = performance.now();
    setImmediate(() => lag.set((performance.now() - from) / SECOND));
  };
}
