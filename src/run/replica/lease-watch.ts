import { leaseProblem, type LeaseReading } from "../../domain/lease.ts";
import type { Loop } from "../loop.ts";
import type { WatchdogSetup } from "../setup.ts";
import type { Lease } from "./lease.ts";

/** Says whether enough of the lease is left to act. */
export type LeaseWatch = {
  /** For a request to the named aggregator, or without a name for the longest of all. Undefined without a lease. */
  readonly reading: (aggregator?: string) => LeaseReading | undefined;
  /** To be called often: tells the loop when it may act, and when it may no longer. */
  readonly check: () => void;
};

export function createLeaseWatch(
  lease: Lease | undefined,
  loop: () => Pick<Loop, "push" | "state">,
  setup: () => Pick<WatchdogSetup, "aggregators">,
): LeaseWatch {
  const reading: LeaseWatch["reading"] = (aggregator) => {
    if (lease === undefined) return undefined;
    const concerned = setup().aggregators.filter(
      ({ name }) => aggregator === undefined || name === aggregator,
    );
    const neededMs = Math.max(0, ...concerned.map(({ client }) => client.timeouts.requestMs));
    return { epoch: lease.held() ? lease.epoch : undefined, leftMs: lease.leftMs(), neededMs };
  };
  return {
    reading,
    check: () => {
      const found = reading();
      if (found === undefined) return;
      const known = loop().state().lease;
      const isKnown = known !== undefined && isEnough(known) === isEnough(found);
      if (!isKnown) loop().push({ type: "lease", lease: found });
    },
  };
}

function isEnough(reading: LeaseReading): boolean {
  return leaseProblem(reading) === undefined;
}
