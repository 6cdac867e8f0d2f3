import { metrics, SERIES_DROPPED } from "../src/io/metrics/definitions/index.ts";
import { code, table } from "./describe.ts";

/** What the docs and the checks of deploy/ read of each metric, in the order of the alphabet. */
export const metricDescriptions = [...metrics, SERIES_DROPPED]
  .map(({ name, type, labels, help }) => ({
    name,
    type,
    labels: labels.map((label) => label.name),
    help,
  }))
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** The table in docs/metrics.md. */
export function metricsTable(): string {
  return table(
    ["metric", "type", "labels", "meaning"],
    metricDescriptions.map(({ name, type, labels, help }) => [
      code(name),
      type,
      labels.map(code).join(" "),
      help,
    ]),
  );
}
