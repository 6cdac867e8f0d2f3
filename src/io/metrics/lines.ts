import { Counter, Gauge, type Registry } from "prom-client";
import type { Unchanged } from "../aggregator/cache.ts";
import type { Described } from "./definition.ts";

/** What the asking of an aggregator tells of itself: its transport counts, a scrape reads. */
export type LineReading = {
  readonly aggregator: string;
  readonly pollLimit: number;
  readonly unchanged: Unchanged;
};

export const READS_UNCHANGED = {
  name: "aggwatch_reads_unchanged_total",
  help: "Reads whose body was the one before, and was not decoded again: same_body (the same bytes came), not_modified (304, so no body came). Begins anew where a reload opens other connections.",
  labels: ["aggregator", "by"],
} as const satisfies Described;

export const CONCURRENCY_LIMIT = {
  name: "aggwatch_concurrency_limit",
  help: "The most reads of polls at once: rate.concurrency, or less while the aggregator answers 429 or 503, or not in time.",
  labels: ["aggregator"],
} as const satisfies Described;

export function registerLines(
  registry: Registry,
  read: () => readonly LineReading[],
  onError: (metric: string, error: unknown) => void,
): void {
  const safely = (metric: string, collect: () => void): void => {
    try {
      collect();
    } catch (error) {
      onError(metric, error);
    }
  };
  const unchangedReads: Counter<string> = new Counter<string>({
    ...clientOptions(READS_UNCHANGED, registry),
    collect() {
      unchangedReads.reset();
      safely(READS_UNCHANGED.name, () => {
        for (const { aggregator, unchanged } of read()) {
          unchangedReads.inc({ aggregator, by: "same_body" }, unchanged.sameBody);
          unchangedReads.inc({ aggregator, by: "not_modified" }, unchanged.notModified);
        }
      });
    },
  });
  const limit: Gauge<string> = new Gauge<string>({
    ...clientOptions(CONCURRENCY_LIMIT, registry),
    collect() {
      limit.reset();
      safely(CONCURRENCY_LIMIT.name, () => {
        for (const { aggregator, pollLimit } of read()) limit.set({ aggregator }, pollLimit);
      });
    },
  });
}

function clientOptions({ name, help, labels }: Described, registry: Registry) {
  return { name, help, labelNames: [...labels], registers: [registry] };
}
