import { counters } from "../src/io/metrics/counters.ts";
import { BUILD_INFO, SERIES_DROPPED, type Described } from "../src/io/metrics/definition.ts";
import { gauges } from "../src/io/metrics/gauges.ts";
import { histograms } from "../src/io/metrics/histograms.ts";
import { CONCURRENCY_LIMIT, READS_UNCHANGED } from "../src/io/metrics/lines.ts";
import { LOOP_DELAY } from "../src/io/metrics/loop-delay.ts";
import { METER_COUNTERS, METER_HISTOGRAMS } from "../src/io/metrics/meters.ts";
import { SLOTS_LOST } from "../src/io/metrics/slots.ts";

export type MetricDescription = Described & { readonly type: "gauge" | "counter" | "histogram" };

/** Every metric of aggwatch's own, in the order of the alphabet; those of the process are not among them. */
export const metricDescriptions: readonly MetricDescription[] = [
  ...[BUILD_INFO, SERIES_DROPPED, CONCURRENCY_LIMIT, ...gauges].map((one) =>
    describe(one, "gauge"),
  ),
  ...[SLOTS_LOST, READS_UNCHANGED, ...METER_COUNTERS, ...counters].map((one) =>
    describe(one, "counter"),
  ),
  ...[LOOP_DELAY, ...METER_HISTOGRAMS, ...histograms].map((one) => describe(one, "histogram")),
].toSorted((one, other) => (one.name < other.name ? -1 : 1));

function describe(
  { name, help, labels }: Described,
  type: MetricDescription["type"],
): MetricDescription {
  return { name, type, labels, help };
}

/** The table in docs/metrics.md. */
export function metricsTable(): string {
  const rows = metricDescriptions.map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(" ")} | ${help} |`,
  );
  return ["| metric | type | labels | meaning |", "|---|---|---|---|", ...rows].join("\n");
}
