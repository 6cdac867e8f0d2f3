import { MOST_SERIES, type Described, type Metric } from "../definition.ts";
import { METRIC } from "../labels.ts";
import { actingMetrics } from "./acting.ts";
import { alertMetrics } from "./alerts.ts";
import { entityMetrics } from "./entities.ts";
import { notificationMetrics } from "./notifications.ts";
import { ownMetrics } from "./own.ts";
import { pollMetrics } from "./polls.ts";
import { replicaMetrics } from "./replica.ts";
import { watchListMetrics } from "./watch-lists.ts";

/**
 * Every metric. Times are timestamps in seconds, not ages, so that they are right between scrapes. The page,
 * docs/metrics.md and the checks of what deploy/ reads follow from this list.
 */
export const metrics: readonly Metric[] = [
  ...ownMetrics,
  ...replicaMetrics,
  ...pollMetrics,
  ...entityMetrics,
  ...alertMetrics,
  ...actingMetrics,
  ...notificationMetrics,
  ...watchListMetrics,
];

/** The cap on series, made visible: the page counts it while it reads the others. */
export const SERIES_DROPPED = {
  name: "aggwatch_series_dropped",
  help: `Series of the metric that the last scrape left out: beyond the first ${MOST_SERIES}, or with a raw id in a label.`,
  type: "gauge",
  labels: [METRIC],
} as const satisfies Described & { readonly type: string };
