import type { Change, Policy } from "../../domain/step.ts";
import { createCountedMetrics, type CountedMetrics } from "./counted-metrics.ts";
import type { MetricsSource } from "./definition.ts";
import { createPage, shareRenderings, type PageParts } from "./page.ts";
import type { Page } from "./page-bytes.ts";
import { createTimeSlice, inSlices } from "../process/time-slice.ts";
import { createScrapeReader } from "./scrape-reader.ts";
import type { Format } from "./text-format.ts";

/** The page `/metrics`. */
export type Metrics = Omit<CountedMetrics, "texts"> & {
  /** Scrapes that come while one is being answered share its answer. */
  readonly render: (format?: Format) => Promise<Page>;
  /** An event was handled, and these rows of state changed. */
  readonly changed: (changes: readonly Change[]) => void;
};

export function createMetrics({
  policy,
  source,
  undisturbed = (work) => inSlices(work(), createTimeSlice()),
  onError,
  hasExemplars = false,
}: {
  readonly policy: Policy;
  readonly source: () => MetricsSource;
  /** Reads the state in slices, and lets no event be handled meanwhile. The default suits callers without events. */
  readonly undisturbed?: PageParts["undisturbed"];
  /** Reports a metric that could not be read; the scrape goes on without it. */
  readonly onError: (metric: string, error: unknown) => void;
  /** In OpenMetrics, histograms name the trace of the newest sample in each bucket. */
  readonly hasExemplars?: boolean;
}): Metrics {
  const { texts, ...counted } = createCountedMetrics(hasExemplars);
  counted.expect(policy);
  const reader = createScrapeReader();
  const render = shareRenderings(createPage({ texts, reader, source, undisturbed, onError }));
  return {
    ...counted,
    render: (format = "prometheus") => render(format),
    changed: reader.changed,
  };
}
