import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";

/** Stamps never go back, over all restarts: ages are never negative, and budgets are never had twice. */
export function checkStamps(): Checker {
  let last: Instant = Number.NEGATIVE_INFINITY;
  return {
    invariant: "8 stamps",
    witness: (seen) => {
      if (seen.type === "restarted") last = seen.state.tables.counter.get("at") ?? last;
      if (seen.type !== "step") return [];
      const before = last;
      last = Math.max(before, seen.stampedAt);
      if (seen.stampedAt >= before) return [];
      return [
        `a ${seen.event.type} event is stamped ${formatInstant(seen.stampedAt)}, after one of ${formatInstant(before)}`,
      ];
    },
  };
}
