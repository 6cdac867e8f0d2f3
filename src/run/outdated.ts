import { leaseProblem, type LeaseReading } from "../domain/lease.ts";
import { formatDuration, type Clock, type Instant } from "../domain/time.ts";
import type { GapDetector } from "../io/process/gap.ts";
import type { Loop } from "./loop.ts";

/**
 * Says why an action must not leave if the reading that justifies it is of that instant; undefined if it may. The
 * process may have been suspended since, and the loop may not have noticed yet.
 */
export function outdatedBy(daemon: {
  readonly clock: Clock;
  readonly gaps?: GapDetector | undefined;
  readonly loop: () => Pick<Loop, "state" | "policy">;
  /** What is read of the lease for a request to the aggregator; undefined if there is none. */
  readonly lease?: (aggregator: string) => LeaseReading | undefined;
}): (askedAt: Instant, aggregator: string) => string | undefined {
  return (askedAt, aggregator) => {
    const lease = daemon.lease?.(aggregator);
    const problem = lease && leaseProblem(lease);
    if (problem !== undefined) return problem;
    const awayMs = daemon.gaps?.peek();
    if (awayMs !== undefined) return `the process could not run for ${formatDuration(awayMs)}`;
    const loop = daemon.loop();
    const lastGap = loop.state().gaps.at(-1);
    if (lastGap !== undefined && askedAt < lastGap.to)
      return "the process could not run after the reading before it";
    const ageMs = daemon.clock.now() - askedAt;
    const { maxAgeMs } = loop.policy().acting;
    if (ageMs <= maxAgeMs) return undefined;
    return `the reading before it is ${formatDuration(ageMs)} old, max_age is ${formatDuration(maxAgeMs)}`;
  };
}
