import { formatDuration, type Millis } from "./time.ts";

/** What a replica reads of its lease when it wants to act. */
export type LeaseReading = {
  /** Undefined if it does not hold the lease. */
  readonly epoch: number | undefined;
  readonly leftMs: Millis;
  /** How long a request to the aggregator may take: it is to be over before another replica can act. */
  readonly neededMs: Millis;
};

/** Why that is not enough to act; undefined if it is. */
export function leaseProblem({ epoch, leftMs, neededMs }: LeaseReading): string | undefined {
  if (epoch === undefined) return "this replica does not hold the lease";
  if (leftMs > neededMs) return undefined;
  return `the lease, of epoch ${epoch}, lasts ${formatDuration(leftMs)} more, and a request may take ${formatDuration(neededMs)}`;
}
