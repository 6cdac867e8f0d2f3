import { metricDescriptions } from "../../src/io/metrics/describe.ts";
import { recordings } from "./rule-files.ts";

/** What the files in deploy may read: our metrics, what the rules record, and a few of others. */

/** Metrics that are in preparation: an entry goes when its metric is there. */
export const AWAITED: Readonly<Record<string, readonly string[]>> = {
  aggwatch_budget_remaining: ["scope", "name"],
  aggwatch_storms: ["aggregator", "alertname"],
  aggwatch_storms_ramping: ["aggregator", "alertname"],
  aggwatch_holds: ["scope"],
  aggwatch_hold_next_expiry_timestamp_seconds: [],
  aggwatch_silences: [],
  aggwatch_quarantined: ["aggregator", "kind"],
  aggwatch_remediation_duration_seconds_bucket: ["aggregator", "action", "outcome", "le"],
  aggwatch_detection_delay_seconds_bucket: ["aggregator", "alertname", "le"],
  aggwatch_listing_truncated: ["aggregator", "poller"],
  aggwatch_journal_commit_duration_seconds_bucket: ["le"],
  aggwatch_journal_commits_total: ["result"],
  aggwatch_journal_size_bytes: [],
  aggwatch_event_loop_delay_seconds_bucket: ["le"],
  aggwatch_bugs_total: [],
  aggwatch_outbox_notifications: ["channel"],
  aggwatch_outbox_oldest_timestamp_seconds: ["channel"],
  aggwatch_notifications_total: ["channel", "outcome"],
  aggwatch_notification_duration_seconds_bucket: ["channel", "le"],
  aggwatch_heartbeat_last_success_timestamp_seconds: [],
  aggwatch_heartbeat_withheld: ["reason"],
  aggwatch_heartbeats_total: ["outcome"],
  aggwatch_series_dropped: ["metric"],
};

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

const described = metricDescriptions.flatMap(({ name, type, labels }) =>
  type === "histogram"
    ? [
        [`${name}_bucket`, [...labels, "le"]] as const,
        [`${name}_sum`, labels] as const,
        [`${name}_count`, labels] as const,
      ]
    : [[name, labels] as const],
);

/** `aggregator_poller:aggwatch_polls:rate5m` has the labels aggregator and poller. */
const recorded = recordings.map(
  ({ record }) => [record, (record.split(":")[0] ?? "").split("_")] as const,
);

/** Every metric that may be read, with its labels besides those of the scrape. */
export const knownMetrics: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(AWAITED),
  ...Object.entries(OTHERS),
  ...recorded,
  ...described,
]);

/** On every series: the scrape adds them. */
export const SCRAPE_LABELS = ["job", "instance"];
