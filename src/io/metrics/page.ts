import type { Slices } from "../../domain/slices.ts";
import { clientFamilies } from "./client-families.ts";
import type { CountedMetrics } from "./counted-metrics.ts";
import type { MetricsSource, ScrapedMetric } from "./definition.ts";
import { metrics, SERIES_DROPPED } from "./definitions/index.ts";
import { loopDelay } from "./loop-delay.ts";
import { createPageWriter, type Chunk, type Page } from "./page-bytes.ts";
import { processMetrics } from "./process-metrics.ts";
import type { Part, ScrapeReader } from "./scrape-reader.ts";
import { endOf, headOf, sampleLine, type Format } from "./text-format.ts";
import { createTimeSlice } from "../process/time-slice.ts";

/** The sources of a page. */
export type PageParts = {
  /** The lines of the metrics of events. */
  readonly texts: CountedMetrics["texts"];
  readonly reader: ScrapeReader;
  /** Called once a scrape, because it may cost more than most metrics. */
  readonly source: () => MetricsSource;
  /** Reads the state in slices: no event is handled before the end. */
  readonly undisturbed: <Value>(work: () => Slices<Value>) => Promise<Value>;
  readonly onError: (metric: string, error: unknown) => void;
};

const scraped = metrics.filter((metric): metric is ScrapedMetric => metric.from === "scrape");

/**
 * Makes the whole page, and yields to the event loop in between: even if much is watched, a scrape holds up nothing for
 * long except events. All that is read from state is of one instant.
 */
export function createPage(page: PageParts): (format: Format) => Promise<Page> {
  return async (format) => {
    const { add, end } = createPageWriter();
    add(await page.undisturbed(() => readScraped(page, format, add)));
    const slice = createTimeSlice();
    for (const texts of [page.texts(format), clientFamilies(processMetrics(), format)]) {
      for await (const text of texts) {
        add(text);
        if (slice.isOver()) await slice.next();
      }
    }
    add(loopDelay().text(format) + endOf(format));
    return end();
  };
}

/** Adds the families that are read from state, and returns the one that counts the series they left out. */
function* readScraped(
  page: PageParts,
  format: Format,
  add: (piece: string | Chunk) => void,
): Slices<string> {
  let source: MetricsSource | undefined;
  const sourceOnce = (): MetricsSource => (source ??= page.source());
  let droppedText = headOf(format, SERIES_DROPPED);
  for (const metric of scraped) {
    const { text, dropped } = yield* readOrNone(page, metric, sourceOnce);
    add(headOf(format, metric));
    add(text);
    droppedText += sampleLine(SERIES_DROPPED.name, { metric: metric.name }, dropped);
    yield;
  }
  return droppedText;
}

/** A metric that throws has no series, and the others go on without it. */
function* readOrNone(
  { reader, onError }: PageParts,
  metric: ScrapedMetric,
  source: () => MetricsSource,
): Slices<Part> {
  try {
    return yield* reader.read(metric, source());
  } catch (error) {
    onError(metric.name, error);
    return { text: "", dropped: 0 };
  }
}

/** A scrape that comes while a page is being made waits for that one, so scrapers cannot pile up. */
export function shareRenderings<Of, Rendered>(
  render: (format: Of) => Promise<Rendered>,
): (format: Of) => Promise<Rendered> {
  const running = new Map<Of, Promise<Rendered>>();
  return (format) => {
    const known = running.get(format);
    if (known !== undefined) return known;
    const made = render(format).finally(() => running.delete(format));
    running.set(format, made);
    return made;
  };
}
