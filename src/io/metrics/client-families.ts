import type { Registry } from "prom-client";
import { boundText, headOf, sampleLine, type Format } from "./text-format.ts";
import type { Turns } from "./turns.ts";

type ClientMetric = ReturnType<Registry["getMetricsAsArray"]>[number];

/** What the client library gives of a metric: its types know nothing of the values. */
type Read = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: ReadonlyArray<{
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
  }>;
};

/** The families that the client library keeps, one text each. */
export async function* clientFamilies(
  registry: Registry,
  format: Format,
  turns: Turns,
): AsyncGenerator<string> {
  for (const metric of registry.getMetricsAsArray()) {
    yield familyText(await readMetric(metric), format);
    if (turns.isDue()) await turns.pass();
  }
}

async function readMetric(metric: ClientMetric): Promise<Read> {
  // The library's types give every metric the type of a description alone.
  const { get } = metric as unknown as { readonly get: () => Promise<Read> | Read };
  return await get.call(metric);
}

function familyText({ name, help, type, values }: Read, format: Format): string {
  let text = headOf(format, name, help, type);
  for (const { metricName = name, labels, value } of values) {
    const written = Object.entries(labels).map(([label, of]): [string, string] => [
      label,
      label === "le" ? boundText(format, of === "+Inf" ? Infinity : Number(of)) : String(of),
    ]);
    text += sampleLine(metricName, Object.fromEntries(written), value);
  }
  return text;
}
