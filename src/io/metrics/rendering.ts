import type { Registry } from "prom-client";
import { clientFamilies } from "./client-families.ts";
import { BUILD_INFO, SERIES_DROPPED, type GaugeDefinition } from "./definition.ts";
import type { GaugeReader } from "./gauge-reader.ts";
import { gauges } from "./gauges.ts";
import { loopDelay } from "./loop-delay.ts";
import { processMetrics } from "./process-metrics.ts";
import { endOf, headOf, sampleLine, type Bytes, type Format } from "./text-format.ts";
import { createTurns, type Turns } from "./turns.ts";

/** What a page is made of. */
export type PageParts = {
  readonly version: string;
  readonly nodeVersion: string;
  readonly registry: Registry;
  readonly reader: GaugeReader;
  readonly onError: (metric: string, error: unknown) => void;
};

/**
 * Makes the whole page, family by family, and lets the event loop turn in between: however much is watched,
 * a scrape holds up nothing else for long. Each family is of one instant, and the page of a few.
 */
export function createPage(parts: PageParts): (format: Format) => Promise<Bytes> {
  return async (format) => {
    const turns = createTurns();
    const chunks: Bytes[] = [Buffer.from(buildInfo(parts, format))];
    const dropped = gaugeHead(format, SERIES_DROPPED);
    let droppedLines = "";
    for (const definition of gauges) {
      const lines = await readSafely(parts, definition, turns);
      chunks.push(Buffer.from(gaugeHead(format, definition)), ...lines.parts);
      droppedLines += sampleLine(SERIES_DROPPED.name, { metric: definition.name }, lines.dropped);
      if (turns.isDue()) await turns.pass();
    }
    chunks.push(Buffer.from(dropped + droppedLines));
    for (const registry of [parts.registry, processMetrics()]) {
      for await (const text of clientFamilies(registry, format, turns)) {
        chunks.push(Buffer.from(text));
      }
    }
    chunks.push(Buffer.from(loopDelay().text(format) + endOf(format)));
    return Buffer.concat(chunks);
  };
}

/** One gauge that throws would fail the whole scrape. It has no series then, but no old ones. */
async function readSafely(
  { reader, onError }: PageParts,
  definition: GaugeDefinition,
  turns: Turns,
): ReturnType<GaugeReader["read"]> {
  try {
    return await reader.read(definition, turns);
  } catch (error) {
    onError(definition.name, error);
    return { parts: [], dropped: 0 };
  }
}

function gaugeHead(format: Format, { name, help }: { name: string; help: string }): string {
  return headOf(format, name, help, "gauge");
}

function buildInfo({ version, nodeVersion }: PageParts, format: Format): string {
  const labels = { version, node_version: nodeVersion };
  return gaugeHead(format, BUILD_INFO) + sampleLine(BUILD_INFO.name, labels, 1);
}

/** Whoever asks while a page is being made waits for that one, so scrapers cannot pile up. */
export function shareRenderings<Of>(
  render: (format: Of) => Promise<Bytes>,
): (format: Of) => Promise<Bytes> {
  const running = new Map<Of, Promise<Bytes>>();
  return (format) => {
    const known = running.get(format);
    if (known !== undefined) return known;
    const made = render(format).finally(() => running.delete(format));
    running.set(format, made);
    return made;
  };
}
