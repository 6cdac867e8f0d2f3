import { metricDescriptions } from "../../tools/describe-metrics.ts";
import { recordings } from "./rule-files.ts";

/** What the files in deploy may read: our metrics, what the rules record, and a few of others. */

/** Of Prometheus itself, and of the client library (`src/io/metrics/process-metrics.ts`). */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  up: [],
  scrape_duration_seconds: [],
  process_cpu_seconds_total: [],
  process_resident_memory_bytes: [],
  process_open_fds: [],
  process_max_fds: [],
  nodejs_heap_size_used_bytes: [],
  nodejs_heap_size_total_bytes: [],
  nodejs_external_memory_bytes: [],
};

const described = metricDescriptions.flatMap(({ name, type, labels }): Array<[string, string[]]> =>
  type === "histogram"
    ? [
        [`${name}_bucket`, [...labels, "le"]],
        [`${name}_sum`, labels],
        [`${name}_count`, labels],
      ]
    : [[name, labels]],
);

/** `aggregator_poller:aggwatch_polls:rate5m` has the labels aggregator and poller. */
const recorded = recordings.map(
  ({ record }) => [record, (record.split(":")[0] ?? "").split("_")] as const,
);

/** Every metric that may be read, with its labels besides those of the scrape. */
export const knownMetrics: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(OTHERS),
  ...recorded,
  ...described,
]);

/** On every series: the scrape adds them. */
export const SCRAPE_LABELS = ["job", "instance"];
/** Kubernetes adds it, and replicas differ in it as in their instance. */
export const POD_LABEL = "pod";
