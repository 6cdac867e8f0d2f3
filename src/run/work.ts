import {
  faultsOf,
  type OtherUnits,
  type PollerFacts,
  type WorkFault,
  type WorkFacts,
} from "../core/explain/heartbeat.ts";
import { pollerKey } from "../domain/lease.ts";
import { SECOND, type Clock, type Instant, type Millis } from "../domain/time.ts";
import type { PollerSlots } from "../io/schedule/slot-counts.ts";
import type { Loop } from "./loop.ts";

/** The work that a daemon does: what the heartbeat and `/healthz` judge by. */
export type Work = {
  /** It begins now: what the start took until then is not work that it was behind with. */
  readonly begin: () => void;
  readonly faults: () => readonly WorkFault[];
  /** A tick has gone through the loop. */
  readonly ticked: (at: Instant) => void;
  readonly committed: () => void;
};

/** A loop that has handled no tick for so long is not healthy, though it may recover. */
const STILL_AFTER = 15 * SECOND;

export function createWork(daemon: {
  readonly clock: Clock;
  readonly loop: () => Pick<Loop, "stateSoFar" | "policy" | "journalWritable" | "defect">;
  readonly slots: () => readonly PollerSlots[];
  /** The process ends itself if the loop stands still for so long; 0: never. */
  readonly stuckAfterMs: Millis;
  /** Since when every notifier is silent, if that matters. */
  readonly notifiersSilentSince?: () => Instant | undefined;
  readonly others?: (() => OtherUnits) | undefined;
}): Work {
  const { clock, stuckAfterMs } = daemon;
  let begunAt = clock.now();
  let tickedAt = begunAt;
  let committedAt: Instant | undefined;
  const stillAfterMs = stuckAfterMs > 0 ? Math.min(STILL_AFTER, stuckAfterMs) : STILL_AFTER;
  return {
    begin: () => {
      begunAt = clock.now();
    },
    ticked: (at) => {
      tickedAt = at;
    },
    committed: () => {
      committedAt = clock.now();
    },
    faults: () => {
      const loop = daemon.loop();
      const { startedAt, gaps } = loop.stateSoFar();
      const facts: WorkFacts = {
        at: clock.now(),
        startedAt: Math.max(begunAt, startedAt),
        resumedAt: gaps.at(-1)?.to,
        tickedAt,
        defect: loop.defect(),
        stillAfterMs,
        pollers: pollersOf(loop, daemon.slots()),
        journal: { problem: journalProblem(loop), committedAt },
        notifiersSilentSince: daemon.notifiersSilentSince?.(),
        others: daemon.others?.(),
      };
      return faultsOf(facts);
    },
  };
}

/** Why the journal cannot be written; undefined while it can. */
export function journalProblem(
  loop: Pick<Loop, "journalWritable" | "stateSoFar">,
): string | undefined {
  if (loop.journalWritable()) return undefined;
  const why = loop.stateSoFar().tables.kill.get("journal")?.reason ?? "it is not known why";
  return `the journal cannot be written, and no action is sent: ${why}`;
}

function pollersOf(
  loop: Pick<Loop, "stateSoFar" | "policy">,
  slots: readonly PollerSlots[],
): PollerFacts[] {
  const { tables } = loop.stateSoFar();
  return loop.policy().aggregators.flatMap(({ name: aggregator, pollers }) =>
    pollers.map((one) => {
      const { name: poller, intervalMs, staleAfterMs } = one;
      const entity = tables.entity.get(pollerKey(aggregator, one));
      const lastSuccess = entity?.facts["last_success"];
      const own = slots.find((slot) => slot.aggregator === aggregator && slot.poller === poller);
      return {
        aggregator,
        poller,
        intervalMs,
        staleAfterMs,
        since: entity?.firstSeen ?? 0,
        firedAt: own?.counts.firedAt,
        lastSuccess: typeof lastSuccess === "number" ? lastSuccess : undefined,
      };
    }),
  );
}
