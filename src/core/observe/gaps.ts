import type { Instant, Millis } from "../../domain/time.ts";
import type { State } from "../state.ts";

/**
 * Gaps: times in which nothing could be read or decided, as the process stood still, the machine slept, or its clock
 * was set forward. What was read before is as old as it is; but no poller is stale for not polling in a gap.
 */

/** How much of the time since then was in no gap. */
export function attendedMs({ gaps }: State, since: Instant, at: Instant): Millis {
  const inGaps = gaps.map(({ from, to }) => Math.max(0, to - Math.max(from, since)));
  return inGaps.reduce((left, length) => left - length, at - since);
}
