import type { Registry } from "prom-client";
import { SECOND, type Millis } from "../../domain/time.ts";
import { clientFamilies } from "./client-families.ts";
import type { ScrapedMetric } from "./definition.ts";
import { metrics, SERIES_DROPPED } from "./definitions/index.ts";
import { loopDelay } from "./loop-delay.ts";
import { processMetrics } from "./process-metrics.ts";
import type { Part, ScrapeReader } from "./scrape-reader.ts";
import { endOf, headOf, sampleLine, type Bytes, type Format } from "./text-format.ts";
import { createTimeSlice, patientFor } from "../process/time-slice.ts";

/** What a page is made of. */
export type PageParts = {
  /** The metrics that events move. */
  readonly registry: Registry;
  readonly reader: ScrapeReader;
  readonly idle?: (() => Promise<void>) | undefined;
  readonly onError: (metric: string, error: unknown) => void;
};

/**
 * How long a scrape waits in all for the loop to be idle. While thousands of senders are read for the first time it is
 * seldom idle for long, and Prometheus gives up a scrape after ten seconds.
 */
const MOST_WAITED: Millis = SECOND;

const scraped = metrics.filter((metric): metric is ScrapedMetric => metric.from === "scrape");

/**
 * Makes the whole page, family by family, and yields to the event loop in between: however much is watched, a
 * scrape holds up nothing else for long. Each family is of one instant, and the page of a few.
 */
export function createPage(page: PageParts): (format: Format) => Promise<Bytes> {
  return async (format) => {
    await page.idle?.();
    const slice = patientFor(MOST_WAITED, createTimeSlice(page.idle));
    const chunks: Bytes[] = [];
    let droppedText = headOf(format, SERIES_DROPPED);
    for (const metric of scraped) {
      // A metric that throws has no series, and the others go on without it.
      const parts: Part[] = await page.reader.read(metric, slice).catch((error: unknown) => {
        page.onError(metric.name, error);
        return [];
      });
      chunks.push(Buffer.from(headOf(format, metric)), ...parts.map(({ text }) => text));
      const dropped = parts.reduce((sum, part) => sum + part.dropped, 0);
      droppedText += sampleLine(SERIES_DROPPED.name, { metric: metric.name }, dropped);
      if (slice.isOver()) await slice.next();
    }
    chunks.push(Buffer.from(droppedText));
    for (const registry of [page.registry, processMetrics()]) {
      for await (const text of clientFamilies(registry, format)) {
        chunks.push(Buffer.from(text));
        if (slice.isOver()) await slice.next();
      }
    }
    chunks.push(Buffer.from(loopDelay().text(format) + endOf(format)));
    return Buffer.concat(chunks);
  };
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
