import { collectDefaultMetrics, Registry, type Gauge } from "prom-client";
import { SECOND } from "../../domain/time.ts";

/**
 * The library's metrics that break a naming rule (`_total` on a gauge), that repeat others, or that each scrape resets,
 * so that two scrapers see half each (`loop-delay.ts` replaces those).
 */
const UNWANTED = /^nodejs_(?:active_|eventloop_utilization_|eventloop_lag_\w+_seconds$)/;

let registry: Registry | undefined;

/**
 * Memory, CPU, event loop and garbage collection. They belong to the process and cannot be stopped (the
 * library never ends its observers), so all watchdogs of a process share one set.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const { name } of registry.getMetricsAsArray())
      if (UNWANTED.test(name)) registry.removeSingleMetric(name);
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
