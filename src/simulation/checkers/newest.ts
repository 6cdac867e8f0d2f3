import { surfaceKey } from "../../domain/observation.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";

/** What was read later stands: a reading that was asked earlier, and comes after it, undoes nothing. */
export function checkNewest(): Checker {
  /** When the newest reading of a surface was asked that this process has taken in. */
  const newest = new Map<string, Instant>();
  return {
    invariant: "1 newest reading",
    witness: (seen) => {
      if (seen.type === "restarted") newest.clear();
      if (seen.type !== "step" || seen.event.type !== "observed") return [];
      const { aggregator, poller, parts } = seen.event.observation;
      return parts.flatMap(({ surface, askedAt, reading }) => {
        const key = surfaceKey(aggregator, poller, surface);
        const taken = seen.state.surfaces.get(key)?.askedAt;
        // It is not watched any more, or the aggregator has moved.
        if (taken === undefined) newest.delete(key);
        const known = newest.get(key);
        if (reading.ok && taken !== undefined) newest.set(key, Math.max(askedAt, known ?? askedAt));
        if (known === undefined || taken === undefined || taken >= known) return [];
        return [
          `${key} is taken for what was asked at ${formatInstant(taken)}, and was asked again at ${formatInstant(known)}`,
        ];
      });
    },
  };
}
