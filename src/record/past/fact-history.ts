import type { FactDefinition, Facts } from "../../domain/entity.ts";
import type { Instant } from "../../domain/time.ts";
import type { EntityPast, FactBucket } from "../../io/api/past/entity-past.ts";

/** A chart has so many points across. */
const BUCKETS = 120;

export type FactSpan = {
  readonly from: Instant;
  readonly until: Instant;
  readonly definitions: Readonly<Record<string, FactDefinition>>;
};

/** Puts together what facts that are numbers were, over equal stretches of a span of time. */
export function createFactHistory({ from, until, definitions }: FactSpan): {
  /** Facts were so from one instant to another; what is added later is of later. */
  readonly add: (begin: Instant, end: Instant, facts: Facts) => void;
  readonly result: () => Pick<EntityPast, "bucketMs" | "facts">;
} {
  const bucketMs = Math.max(1, Math.ceil((until - from) / BUCKETS));
  const numbers = new Map<string, Map<number, FactBucket>>();
  return {
    add: (begin, end, facts) => {
      if (end <= begin) return;
      const first = Math.floor((begin - from) / bucketMs);
      const last = Math.floor((end - 1 - from) / bucketMs);
      for (const [name, value] of Object.entries(facts)) {
        if (typeof value !== "number" || definitions[name]?.type === "timestamp") continue;
        const buckets = numbers.get(name) ?? new Map<number, FactBucket>();
        numbers.set(name, buckets);
        for (let index = first; index <= last; index += 1)
          buckets.set(index, joined(buckets.get(index), value, from + index * bucketMs));
      }
    },
    result: () => ({
      bucketMs,
      facts: [...numbers].map(([name, buckets]) => ({ name, buckets: [...buckets.values()] })),
    }),
  };
}

function joined(before: FactBucket | undefined, value: number, from: Instant): FactBucket {
  const { min, max } = before ?? { min: value, max: value };
  return { from, min: Math.min(min, value), max: Math.max(max, value), last: value };
}
