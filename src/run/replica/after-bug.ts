import { messageOf } from "../../domain/error-message.ts";
import { HOME } from "../../domain/lease.ts";
import { createBugCount, KILLED_BY_BUG } from "../bug-recovery.ts";
import type { Service } from "../service/service.ts";

type AfterBugWorld = {
  readonly unit: string;
  readonly beginAgain: (why: string) => Promise<void>;
  /** There were too many bugs: the process is to end. */
  readonly onBroken: (bug: unknown) => void;
};

/**
 * A bug in the core ends a loop with a shared journal, and the same replica begins again from the rows, with a new
 * epoch. As with a journal of its own, alerting goes on, and no action is sent until another start, which may be that of
 * another replica. A unit of senders never acts, so nothing stops it. To be called with each service that has begun.
 */
export function createAfterBug({ unit, beginAgain, onBroken }: AfterBugWorld) {
  const isTooMany = createBugCount();
  let bugs = 0;
  let endedEpoch: number | undefined;
  return (service: Pick<Service, "broken" | "clock" | "loop" | "metrics">, epoch: number): void => {
    // Its counters are new, and this one must not fall.
    for (let bug = 0; bug < bugs; bug += 1) service.metrics.count([{ type: "bug" }]);
    const isNext = endedEpoch !== undefined && epoch === endedEpoch + 1;
    if (isNext && unit === HOME) service.loop.push(KILLED_BY_BUG);
    const onBug = (bug: unknown): void => {
      bugs += 1;
      endedEpoch = epoch;
      if (isTooMany(service.clock.now())) onBroken(bug);
      else void beginAgain(`a bug in the core: ${messageOf(bug)}`);
    };
    void service.broken.then(onBug);
  };
}
