import { SECOND } from "../../../domain/time.ts";
import { WATCH_SOURCES, type SweepReading, type WatchSourceState } from "../../../domain/watch.ts";
import { countGauge, gauge } from "../builders.ts";
import type { Metric, MetricsSource } from "../definition.ts";
import { AGGREGATOR, oneOf, POLLER, WATCHED_KIND } from "../labels.ts";

/** The label is the sort of the source, because its name may be a path. */
const SOURCE = oneOf("source", WATCH_SOURCES);

/** The watch lists and the sweeps over them. */
export const watchListMetrics: readonly Metric[] = [
  countGauge({
    name: "aggwatch_watch_entries",
    help: "Entries of the watch lists by kind and by the source that counts (config, file, http, api).",
    labels: [AGGREGATOR, WATCHED_KIND, SOURCE],
    objects: ({ watched }) => watched().map(({ entries }) => entries),
    items: ({ watched }) =>
      watched().flatMap(({ aggregator, entries }) =>
        entries.map(({ kind, source }) => ({ aggregator, kind, source })),
      ),
  }),
  gauge({
    name: "aggwatch_watch_conflicts",
    help: "Names on which the sources of the watch lists disagree, and entries beyond the limit.",
    labels: [AGGREGATOR],
    read: ({ watched }) =>
      watched().map(({ aggregator, conflicts }) => [{ aggregator }, conflicts.length]),
  }),
  gauge({
    name: "aggwatch_watch_sources_failed",
    help: "Files and lists over HTTP that cannot be read, whose last good list is in force.",
    labels: [AGGREGATOR, SOURCE],
    read: (source) =>
      bySource(source, (states) => states.filter(({ problem }) => problem !== undefined).length),
  }),
  gauge({
    name: "aggwatch_watch_source_last_success_timestamp_seconds",
    help: "When the source that was read longest ago was last read without a problem; 0 if one was never read since the start.",
    labels: [AGGREGATOR, SOURCE],
    read: (source) =>
      bySource(
        source,
        (states) => Math.min(...states.map(({ successAt = 0 }) => successAt)) / SECOND,
      ),
  }),
  gauge({
    name: "aggwatch_sweep_least_seconds",
    help: "The least time that a whole poll takes at the configured rate.",
    labels: [AGGREGATOR, POLLER],
    read: (source) => bySweep(source, ({ leastMs }) => leastMs / SECOND),
  }),
  gauge({
    name: "aggwatch_sweep_interval_seconds",
    help: "The longest time between two slots of the poller's schedule; a sweep that takes longer does not fit.",
    labels: [AGGREGATOR, POLLER],
    read: (source) => bySweep(source, ({ intervalMs }) => intervalMs / SECOND),
  }),
];

/** Only sorts with a source: others have no timestamp. */
function bySource(
  { watched }: MetricsSource,
  valueOf: (states: readonly WatchSourceState[]) => number,
) {
  return watched().flatMap(({ aggregator, sources }) =>
    [...Map.groupBy(sources, ({ source }) => source)].map(
      ([source, states]) => [{ aggregator, source }, valueOf(states)] as const,
    ),
  );
}

function bySweep({ watched }: MetricsSource, valueOf: (sweep: SweepReading) => number) {
  return watched().flatMap(({ aggregator, sweeps }) =>
    sweeps.map((sweep) => [{ aggregator, poller: sweep.poller }, valueOf(sweep)] as const),
  );
}
