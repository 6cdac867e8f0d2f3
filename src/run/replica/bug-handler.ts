import { messageOf } from "../../domain/error-message.ts";
import { HOME } from "../../domain/lease.ts";
import { createBugCount, KILLED_BY_BUG } from "../bug-recovery.ts";
import type { Service } from "../service/service.ts";
import type { Lease } from "./lease.ts";

type BugHandler = {
  /** To be called with each service that has begun under a lease. */
  readonly begun: (service: Pick<Service, "broken" | "clock" | "loop">, lease: Lease) => void;
  /** How many bugs there were. */
  readonly bugs: () => number;
};

/**
 * A bug in the core ends a loop with a shared journal, and the same replica begins again from the rows, with a new
 * epoch. As with a journal of its own, alerting goes on, and this process sends no action any more. A unit of senders
 * never acts, so nothing stops it.
 */
export function createBugHandler(world: {
  readonly unit: string;
  readonly beginAgain: (why: string) => Promise<void>;
  /** There were too many bugs: the process is to end. */
  readonly onBroken: (bug: unknown) => void;
}): BugHandler {
  const isTooMany = createBugCount();
  let bugs = 0;
  return {
    bugs: () => bugs,
    begun: (service, lease) => {
      if (bugs > 0 && world.unit === HOME) service.loop.push(KILLED_BY_BUG);
      const onBug = (bug: unknown): void => {
        bugs += 1;
        if (isTooMany(service.clock.now())) world.onBroken(bug);
        // If the lease is lost, this was dropped already, and another may have begun.
        else if (lease.held()) void world.beginAgain(`a bug in the core: ${messageOf(bug)}`);
      };
      void service.broken.then(onBug);
    },
  };
}
