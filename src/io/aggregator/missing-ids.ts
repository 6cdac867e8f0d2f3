import type { ReadEndpoint } from "../../aggregator/endpoints/index.ts";
import type { Part, SurfaceReading } from "../../domain/observation.ts";
import type { Surface } from "../../pollers/poller.ts";

/**
 * A 404 for one watched id is a fact of that entity. If an endpoint answers 404 for every watched id, its path may be
 * wrong instead, and a poll cannot tell: each entity counts as missing, with a hint.
 */
export function createIdCounts() {
  const counts = new Map<ReadEndpoint, { read: number; missing: number }>();
  return {
    count: ({ requests }: Surface, reading: SurfaceReading): void => {
      for (const { endpoint } of requests) {
        const count = counts.get(endpoint) ?? { read: 0, missing: 0 };
        counts.set(endpoint, count);
        count.read += 1;
        if (reading.ok && reading.missing === true) count.missing += 1;
      }
    },
    /** For people; undefined unless an endpoint answered 404 for every id. */
    hint: (): string | undefined => {
      const suspects = [...counts].filter(([, { read, missing }]) => read === missing);
      if (suspects.length === 0) return undefined;
      const paths = suspects.map(([endpoint]) => `wire.${endpoint}.path`).join(", ");
      return `every watched id is answered with 404: ${paths} or base_url may be wrong`;
    },
  };
}

/** Adds the hint to the readings of missing ids. */
export function withHint(parts: readonly Part[], hint: string | undefined): readonly Part[] {
  if (hint === undefined) return parts;
  return parts.map((part) =>
    part.reading.ok && part.reading.missing === true
      ? { ...part, reading: { ...part.reading, note: hint } }
      : part,
  );
}
