import { SECOND } from "../../domain/time.ts";
import { WATCH_SOURCES } from "../../domain/watch.ts";
import type { GaugeDefinition, Labels, MetricsSource } from "./definition.ts";

/** The watch lists and the sweeps over them. A source's name may be a path, so its sort is the label. */
export const watchGauges: readonly GaugeDefinition[] = [
  {
    name: "aggwatch_watch_entries",
    help: "Entries of the watch lists by kind and by the source that counts (config, file, http, api).",
    labels: ["aggregator", "kind", "source"],
    read: entryCounts,
  },
  {
    name: "aggwatch_watch_conflicts",
    help: "Names on which the sources of the watch lists disagree, and entries that are too many.",
    labels: ["aggregator"],
    read: ({ watched }) =>
      watched().map(({ aggregator, conflicts }) => [{ aggregator }, conflicts.length]),
  },
  {
    name: "aggwatch_watch_sources_failed",
    help: "Files and lists over HTTP that cannot be read, whose last good list is in force.",
    labels: ["aggregator", "source"],
    read: (source) => perSort(source, (states) => states.filter(hasProblem).length),
  },
  {
    name: "aggwatch_watch_source_last_success_timestamp_seconds",
    help: "When the source that was read longest ago was last read without a problem; 0 if one was not since the start.",
    labels: ["aggregator", "source"],
    read: (source) =>
      perSort(
        source,
        (states) => Math.min(...states.map(({ successAt }) => successAt ?? 0)) / SECOND,
      ),
  },
  {
    name: "aggwatch_sweep_least_seconds",
    help: "The least time that a whole poll takes at the configured rate.",
    labels: ["aggregator", "poller"],
    read: (source) => perSweep(source, ({ leastMs }) => leastMs / SECOND),
  },
  {
    name: "aggwatch_sweep_interval_seconds",
    help: "The longest time between two slots of the poller's schedule; a sweep that takes longer does not fit.",
    labels: ["aggregator", "poller"],
    read: (source) => perSweep(source, ({ intervalMs }) => intervalMs / SECOND),
  },
];

type Reading = ReturnType<MetricsSource["watched"]>[number];
type State = Reading["sources"][number];

function hasProblem({ problem }: State): boolean {
  return problem !== undefined;
}

/** Every source has its series for each watched kind, so that the last entry's going is seen. */
function entryCounts({ watched, policy }: MetricsSource): Array<readonly [Labels, number]> {
  const kinds = [...(policy.watch?.kinds.keys() ?? [])];
  return watched().flatMap(({ aggregator, entries }) => {
    const counts = new Map<string, number>();
    for (const { kind, source } of entries) {
      const key = `${kind} ${source}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return kinds.flatMap((kind) =>
      WATCH_SOURCES.map(
        (source) => [{ aggregator, kind, source }, counts.get(`${kind} ${source}`) ?? 0] as const,
      ),
    );
  });
}

/** Only sorts of sources that there are: a timestamp of nothing says nothing. */
function perSort(
  { watched }: MetricsSource,
  valueOf: (states: readonly State[]) => number,
): Array<readonly [Labels, number]> {
  return watched().flatMap(({ aggregator, sources }) =>
    [...Map.groupBy(sources, ({ source }) => source)].map(
      ([source, states]) => [{ aggregator, source }, valueOf(states)] as const,
    ),
  );
}

function perSweep(
  { watched }: MetricsSource,
  valueOf: (sweep: Reading["sweeps"][number]) => number,
): Array<readonly [Labels, number]> {
  return watched().flatMap(({ aggregator, sweeps }) =>
    sweeps.map((sweep) => [{ aggregator, poller: sweep.poller }, valueOf(sweep)] as const),
  );
}
