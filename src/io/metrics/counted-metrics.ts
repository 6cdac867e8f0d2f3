import { Counter, Histogram } from "prom-client";
import type { Policy } from "../../domain/step.ts";
import type { CountedMetric, MetricEvent } from "./definition.ts";
import { familyOf, familyText, type Family } from "./client-families.ts";
import { metrics } from "./definitions/index.ts";
import { isRawId, knownLabels, type LabelValues } from "./labels.ts";
import { kept, type Chunk } from "./page-bytes.ts";
import type { Format } from "./text-format.ts";

/** The counters and histograms of events; the client library keeps them. */
export type CountedMetrics = {
  /** `exemplar`: labels of a trace, which a histogram shows with the newest sample of a bucket. */
  readonly count: (events: readonly MetricEvent[], exemplar?: LabelValues) => void;
  /** Begins the series that a policy implies, and ends those of aggregators that are gone. */
  readonly expect: (policy: Policy) => void;
  /** The lines of each metric; they are written again only if an event changed them. */
  readonly texts: (format: Format) => AsyncGenerator<string | Chunk>;
};

export function createCountedMetrics(hasExemplars = false): CountedMetrics {
  const counted = metrics
    .filter((metric): metric is CountedMetric => "sample" in metric)
    .map((metric) => createCounted(metric, hasExemplars));
  const byType = Map.groupBy(counted, ({ from }) => from);
  return {
    count: (events, exemplar) => {
      for (const event of events)
        for (const one of byType.get(event.type) ?? []) one.count(event, exemplar);
    },
    expect: (policy) => {
      for (const one of counted) one.expect(policy);
    },
    texts: async function* (format) {
      for (const one of counted) yield await one.text(format);
    },
  };
}

type Counted = Pick<CountedMetric, "from"> & {
  readonly count: (event: MetricEvent, exemplar?: LabelValues) => void;
  readonly expect: (policy: Policy) => void;
  readonly text: (format: Format) => Promise<string | Chunk>;
};

function createCounted(metric: CountedMetric, hasExemplars: boolean): Counted {
  const client = clientMetric(metric, hasExemplars);
  const begun = new Map<string, LabelValues>();
  /** Grows with each change. */
  let version = 0;
  const known = new Map<Format, { readonly version: number; readonly text: string | Chunk }>();
  return {
    from: metric.from,
    count: (event, exemplar) => {
      const sample = metric.sample(event);
      if (sample === undefined) return;
      const [labels, value] = sample;
      const key = JSON.stringify(labels);
      if (!begun.has(key)) {
        if (Object.values(labels).some(isRawId)) return;
        begun.set(key, labels);
      }
      version += 1;
      client.add(labels, value, exemplar);
    },
    expect: (policy) => {
      version += 1;
      const aggregators = new Set(policy.aggregators.map(({ name }) => name));
      for (const [key, labels] of begun) {
        const { aggregator } = labels;
        if (aggregator === undefined || aggregators.has(aggregator)) continue;
        begun.delete(key);
        client.remove(labels);
      }
      for (const labels of knownLabels(metric.labels, policy)) {
        const key = JSON.stringify(labels);
        // A series that has counted must not begin again.
        if (begun.has(key)) continue;
        begun.set(key, labels);
        client.begin(labels);
      }
    },
    text: async (format) => {
      const old = known.get(format);
      if (old?.version === version) return old.text;
      const made = { version, text: kept(familyText(await client.family(), format)) };
      known.set(format, made);
      return made.text;
    },
  };
}

/** A counter or a histogram of the client library, behind one interface. */
type ClientMetric = {
  readonly add: (labels: LabelValues, value: number, exemplar?: LabelValues) => void;
  readonly begin: (labels: LabelValues) => void;
  readonly remove: (labels: LabelValues) => void;
  readonly family: () => Promise<Family>;
};

function clientMetric(metric: CountedMetric, hasExemplars: boolean): ClientMetric {
  const { name, help } = metric;
  const labelNames = metric.labels.map((label) => label.name);
  const settings = { name, help, labelNames, registers: [] };
  if (metric.type === "counter") {
    const counter = new Counter<string>(settings);
    return {
      add: (labels, value) => counter.inc({ ...labels }, value),
      begin: (labels) => counter.inc({ ...labels }, 0),
      remove: (labels) => counter.remove({ ...labels }),
      family: () => familyOf(counter),
    };
  }
  const buckets = [...metric.buckets];
  const histogram = new Histogram<string>({ ...settings, buckets, enableExemplars: hasExemplars });
  return {
    add: (labels, value, exemplar = {}) =>
      hasExemplars
        ? histogram.observe({ labels: { ...labels }, value, exemplarLabels: { ...exemplar } })
        : histogram.observe({ ...labels }, value),
    begin: (labels) => histogram.zero({ ...labels }),
    remove: (labels) => histogram.remove({ ...labels }),
    family: () => familyOf(histogram),
  };
}
