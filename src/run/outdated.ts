import { stoppedBy } from "../core/act/last-look.ts";
import { leaseProblem, type LeaseReading } from "../domain/lease.ts";
import type { Effect } from "../domain/step.ts";
import { formatDuration, type Clock } from "../domain/time.ts";
import type { GapDetector } from "../io/process/gap.ts";
import type { Loop } from "./loop.ts";

/** What the last look at an action goes by. */
export type Leaving = Pick<
  Extract<Effect, { type: "act" }>,
  "remediation" | "aggregator" | "askedAt"
>;

/**
 * Says why an action must not leave any more; undefined if it may. Since it was decided, operators may have stopped it,
 * and the process may have been suspended, which the loop may not have noticed yet.
 */
export function outdatedBy(daemon: {
  readonly clock: Clock;
  readonly gaps?: GapDetector | undefined;
  readonly loop: () => Pick<Loop, "state" | "policy" | "defect">;
  /** What is read of the lease for a request to the aggregator; undefined if there is none. */
  readonly lease?: (aggregator: string) => LeaseReading | undefined;
}): (action: Leaving) => string | undefined {
  return ({ remediation, aggregator, askedAt }) => {
    const lease = daemon.lease?.(aggregator);
    const problem = lease && leaseProblem(lease);
    if (problem !== undefined) return problem;
    const awayMs = daemon.gaps?.peek();
    if (awayMs !== undefined) return `the process could not run for ${formatDuration(awayMs)}`;
    const loop = daemon.loop();
    const defect = loop.defect();
    if (defect !== undefined) return `a bug in the core: ${defect}`;
    const state = loop.state();
    const lastGap = state.gaps.at(-1);
    if (lastGap !== undefined && askedAt < lastGap.to)
      return "the process could not run after the reading before it";
    const policy = loop.policy();
    const now = daemon.clock.now();
    const stopped = stoppedBy({ policy, state, at: Math.max(now, state.at) }, remediation);
    if (stopped !== undefined) return stopped;
    const ageMs = now - askedAt;
    const { maxAgeMs } = policy.acting;
    if (ageMs <= maxAgeMs) return undefined;
    return `the reading before it is ${formatDuration(ageMs)} old, max_age is ${formatDuration(maxAgeMs)}`;
  };
}
