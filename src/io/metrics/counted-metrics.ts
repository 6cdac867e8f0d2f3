import { Counter, Histogram } from "prom-client";
import type { Policy } from "../../domain/step.ts";
import type { CountedMetric, MetricEvent } from "./definition.ts";
import { familyOf, familyText } from "./client-families.ts";
import { metrics } from "./definitions/index.ts";
import { isRawId, knownLabels, type LabelValues } from "./labels.ts";
import { kept, type Chunk } from "./page-bytes.ts";
import type { Format } from "./text-format.ts";

/** The counters and histograms of events; the client library keeps them. */
export type CountedMetrics = ReturnType<typeof createCountedMetrics>;

export function createCountedMetrics(hasExemplars = false) {
  const counted = metrics
    .filter((metric): metric is CountedMetric => "sample" in metric)
    .map((metric) => createCounted(metric, hasExemplars));
  const byType = Map.groupBy(counted, ({ from }) => from);
  return {
    /** `exemplar`: labels of a trace, which a histogram shows with the newest sample of a bucket. */
    count: (events: readonly MetricEvent[], exemplar?: LabelValues): void => {
      for (const event of events)
        for (const one of byType.get(event.type) ?? []) one.count(event, exemplar);
    },
    /** Begins the series that a policy implies, and ends those of aggregators that are gone. */
    expect: (policy: Policy): void => {
      for (const one of counted) one.expect(policy);
    },
    /** The lines of each metric; they are written again only if an event changed them. */
    texts: async function* (format: Format): AsyncGenerator<string | Chunk> {
      for (const one of counted) yield await one.text(format);
    },
  };
}

function createCounted(metric: CountedMetric, hasExemplars: boolean) {
  const { client, add, begin } = clientMetric(metric, hasExemplars);
  const begun = new Map<string, LabelValues>();
  /** Those of the policy; until one is known, any may count. */
  let aggregators: ReadonlySet<string> | undefined;
  // An action that was sent is followed to its end even if its aggregator has left the config.
  const isOfOther = ({ aggregator }: LabelValues): boolean =>
    aggregator !== undefined && aggregators?.has(aggregator) === false;
  /** Grows with each change. */
  let version = 0;
  const known = new Map<Format, { readonly version: number; readonly text: string | Chunk }>();
  return {
    from: metric.from,
    count: (event: MetricEvent, exemplar?: LabelValues): void => {
      const sample = metric.sample(event);
      if (sample === undefined) return;
      const [labels, value] = sample;
      const key = JSON.stringify(labels);
      if (!begun.has(key)) {
        if (isOfOther(labels) || Object.values(labels).some(isRawId)) return;
        begun.set(key, labels);
      }
      version += 1;
      add(labels, value, exemplar);
    },
    expect: (policy: Policy): void => {
      version += 1;
      aggregators = new Set(policy.aggregators.map(({ name }) => name));
      for (const [key, labels] of begun) {
        if (!isOfOther(labels)) continue;
        begun.delete(key);
        client.remove({ ...labels });
      }
      for (const labels of knownLabels(metric.labels, policy)) {
        const key = JSON.stringify(labels);
        // A series that has counted must not begin again.
        if (begun.has(key)) continue;
        begun.set(key, labels);
        begin(labels);
      }
    },
    text: async (format: Format): Promise<string | Chunk> => {
      const old = known.get(format);
      if (old?.version === version) return old.text;
      const made = { version, text: kept(familyText(await familyOf(client), format)) };
      known.set(format, made);
      return made.text;
    },
  };
}

/** A counter or a histogram of the client library, and what differs between the two. */
function clientMetric(metric: CountedMetric, hasExemplars: boolean) {
  const { name, help } = metric;
  const labelNames = metric.labels.map((label) => label.name);
  const settings = { name, help, labelNames, registers: [] };
  if (metric.type === "counter") {
    const client = new Counter<string>(settings);
    const add = (labels: LabelValues, value: number): void => client.inc({ ...labels }, value);
    return { client, add, begin: (labels: LabelValues) => add(labels, 0) };
  }
  const buckets = [...metric.buckets];
  const client = new Histogram<string>({ ...settings, buckets, enableExemplars: hasExemplars });
  return {
    client,
    add: (labels: LabelValues, value: number, exemplar: LabelValues = {}): void =>
      hasExemplars
        ? client.observe({ labels: { ...labels }, value, exemplarLabels: { ...exemplar } })
        : client.observe({ ...labels }, value),
    begin: (labels: LabelValues) => client.zero({ ...labels }),
  };
}
