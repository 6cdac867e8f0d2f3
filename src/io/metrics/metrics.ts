import type { Slices } from "../../domain/slices.ts";
import type { Change, Policy } from "../../domain/step.ts";
import { createTimeSlice, inSlices } from "../process/time-slice.ts";
import { clientFamilies } from "./client-families.ts";
import { createCountedMetrics, type CountedMetrics } from "./counted-metrics.ts";
import type { MetricsSource, ScrapedMetric } from "./definition.ts";
import { metrics, SERIES_DROPPED } from "./definitions/index.ts";
import { loopDelay } from "./loop-delay.ts";
import { createPageWriter, type Chunk, type Page } from "./page-bytes.ts";
import { processMetrics } from "./process-metrics.ts";
import { createScrapeReader, type Part, type ScrapeReader } from "./scrape-reader.ts";
import { endOf, headOf, sampleLine, type Format } from "./text-format.ts";

/** The page `/metrics`. */
export type Metrics = Omit<CountedMetrics, "texts"> & {
  /** Scrapes that come while one is being answered share its answer. */
  readonly render: (format?: Format) => Promise<Page>;
  /** An event was handled, and these rows of state changed. */
  readonly changed: (changes: readonly Change[]) => void;
};

type PageOptions = {
  /** Called once a scrape, because it may cost more than most metrics. */
  readonly source: () => MetricsSource;
  /** Reads the state in slices, and lets no event be handled meanwhile. The default suits callers without events. */
  readonly undisturbed?: <Value>(work: () => Slices<Value>) => Promise<Value>;
  /** Reports a metric that could not be read; the scrape goes on without it. */
  readonly onError: (metric: string, error: unknown) => void;
};

const scraped = metrics.filter((metric): metric is ScrapedMetric => metric.from === "scrape");

/**
 * A scrape makes the whole page, and yields to the event loop in between: even if much is watched, it holds up nothing
 * for long except events. All that is read from state is of one instant.
 */
export function createMetrics({
  policy,
  undisturbed = (work) => inSlices(work(), createTimeSlice()),
  // In OpenMetrics, histograms then name the trace of the newest sample in each bucket.
  hasExemplars = false,
  ...options
}: PageOptions & { readonly policy: Policy; readonly hasExemplars?: boolean }): Metrics {
  const counted = createCountedMetrics(hasExemplars);
  counted.expect(policy);
  const reader = createScrapeReader();
  const render = shareRenderings(async (format: Format) => {
    const { add, end } = createPageWriter();
    add(await undisturbed(() => readScraped(reader, options, format, add)));
    const slice = createTimeSlice();
    for (const families of [counted.texts(format), clientFamilies(processMetrics(), format)]) {
      for await (const text of families) {
        add(text);
        if (slice.isOver()) await slice.next();
      }
    }
    add(loopDelay().text(format) + endOf(format));
    return end();
  });
  return {
    count: counted.count,
    expect: counted.expect,
    render: (format = "prometheus") => render(format),
    changed: reader.changed,
  };
}

/** Adds the families that are read from state, and returns the one that counts the series they left out. */
function* readScraped(
  reader: ScrapeReader,
  { source, onError }: PageOptions,
  format: Format,
  add: (piece: string | Chunk) => void,
): Slices<string> {
  let read: MetricsSource | undefined;
  /** A metric that throws has no series, and the others go on without it. */
  function* readOrNone(metric: ScrapedMetric): Slices<Part> {
    try {
      return yield* reader.read(metric, (read ??= source()));
    } catch (error) {
      onError(metric.name, error);
      return { text: "", dropped: 0 };
    }
  }
  let droppedText = headOf(format, SERIES_DROPPED);
  for (const metric of scraped) {
    const { text, dropped } = yield* readOrNone(metric);
    add(headOf(format, metric));
    add(text);
    droppedText += sampleLine(SERIES_DROPPED.name, { metric: metric.name }, dropped);
    yield;
  }
  return droppedText;
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
