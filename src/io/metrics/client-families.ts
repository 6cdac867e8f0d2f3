import type { Registry } from "prom-client";
import type { LabelValues } from "./labels.ts";
import { boundText, headOf, sampleLine, type Format } from "./text-format.ts";

/** A metric as the client library gives it; the library's types lack the values. */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: ReadonlyArray<{
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    /** The newest sample in a bucket that names a trace; null for everything else. */
    readonly exemplar?: Exemplar | null;
  }>;
};

type Exemplar = {
  readonly labelSet: LabelValues;
  readonly value: number;
  /** In seconds. */
  readonly timestamp: number;
};

/** The client library's values of a metric, which its types describe without values. */
export async function familyOf(metric: unknown): Promise<Family> {
  return await (metric as { readonly get: () => Promise<Family> | Family }).get();
}

/** The families of a registry, one text each. */
export async function* clientFamilies(registry: Registry, format: Format): AsyncGenerator<string> {
  for (const metric of registry.getMetricsAsArray())
    yield familyText(await familyOf(metric), format);
}

/** The lines of a family. */
export function familyText(family: Family, format: Format): string {
  let text = headOf(format, family);
  for (const { metricName = family.name, labels, value, exemplar } of family.values) {
    const written = Object.entries(labels).map(([label, of]): [string, string] => [
      label,
      label === "le" ? boundText(format, of === "+Inf" ? Infinity : Number(of)) : String(of),
    ]);
    const line = sampleLine(metricName, Object.fromEntries(written), value);
    text +=
      format === "openmetrics" && exemplar ? `${line.trimEnd()}${exemplarText(exemplar)}\n` : line;
  }
  return text;
}

/** ` # {trace_id="…"} 0.2 1767323045.1`, as OpenMetrics has it. */
function exemplarText({ labelSet, value, timestamp }: Exemplar): string {
  return ` # ${sampleLine("", labelSet, value).trimEnd()} ${timestamp}`;
}
