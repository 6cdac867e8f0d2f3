import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HEARTBEAT_REASONS,
  MENDED_BY_RESTART,
  NOTIFIER_GRACE,
  SCHEDULE_GRACE,
  faultsOf,
  type PollerFacts,
  type WorkFacts,
} from "../../../src/core/explain/heartbeat.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";

const AT = 1_000_000 * SECOND;

const pools: PollerFacts = {
  aggregator: "bsc",
  poller: "pools",
  intervalMs: 10 * SECOND,
  staleAfterMs: 30 * SECOND,
  since: AT - 60 * MINUTE,
  firedAt: AT - 5 * SECOND,
  lastSuccess: AT - 5 * SECOND,
};

/** Work that is being done, except for what is said. */
function facts(change: Partial<WorkFacts> = {}, poller: Partial<PollerFacts> = {}): WorkFacts {
  return {
    at: AT,
    startedAt: AT - 60 * MINUTE,
    tickedAt: AT - SECOND,
    stillAfterMs: 15 * SECOND,
    pollers: [{ ...pools, ...poller }],
    journal: { problem: undefined, committedAt: AT - 5 * SECOND },
    notifiersSilentSince: undefined,
    ...change,
  };
}

const reasons = (of: WorkFacts): string[] => faultsOf(of).map(({ reason }) => reason);

describe("the work", () => {
  it("is being done if schedules fire, polls read, the loop turns and the journal commits", () => {
    expect(faultsOf(facts())).toEqual([]);
  });

  it("is being done by other units, if this one has nothing to poll", () => {
    const others = { isWatching: true, faults: [] };
    expect(faultsOf(facts({ pollers: [], others }))).toEqual([]);
    expect(reasons(facts({ pollers: [], others: { ...others, isWatching: false } }))).toEqual([
      "poll_overdue",
    ]);
  });

  it("is not, if other units do not do theirs", () => {
    const theirs = { reason: "poll_overdue", detail: "senders/1: no replica owns it" } as const;
    expect(faultsOf(facts({ others: { isWatching: true, faults: [theirs] } }))).toEqual([theirs]);
  });

  it.each<[string, string, WorkFacts]>([
    ["a dead loop", "loop_still", facts({ tickedAt: AT - 16 * SECOND })],
    ["a dead scheduler", "schedule_silent", facts({}, { firedAt: AT - 26 * SECOND })],
    [
      "a schedule that never fired",
      "schedule_silent",
      facts({}, { firedAt: undefined, since: AT - MINUTE }),
    ],
    ["polls that hang or fail", "poll_overdue", facts({}, { lastSuccess: AT - 31 * SECOND })],
    ["nothing to watch", "poll_overdue", facts({ pollers: [] })],
    [
      "a journal that cannot be written",
      "journal_failing",
      facts({ journal: { problem: "full", committedAt: AT } }),
    ],
    [
      "a journal that nothing is written to",
      "journal_failing",
      facts({ journal: { problem: undefined, committedAt: AT - 46 * SECOND } }),
    ],
    [
      "notifiers that are silent",
      "notifier_silent",
      facts({ notifiersSilentSince: AT - NOTIFIER_GRACE - 1 }),
    ],
    [
      "a first poll that is not done",
      "starting",
      facts({ startedAt: AT - 3 * SECOND }, { lastSuccess: AT - 5 * SECOND }),
    ],
  ])("is not, by %s", (_, reason, of) => {
    expect(reasons(of)).toEqual([reason]);
    expect(HEARTBEAT_REASONS).toContain(reason);
  });

  it("is not proved by what was read before the start", () => {
    const restarted = { startedAt: AT - 31 * SECOND };
    expect(reasons(facts(restarted, { lastSuccess: AT - 32 * SECOND }))).toEqual(["poll_overdue"]);
    expect(reasons(facts(restarted, { lastSuccess: AT - 20 * SECOND }))).toEqual([]);
  });

  it("says what is wrong, where, for how long, and what the limit is", () => {
    const late = facts({}, { lastSuccess: AT - 45 * SECOND });
    expect(faultsOf(late)[0]?.detail).toBe(
      "bsc/pools has read nothing for 45s (stale_after is 30s)",
    );
    const silent = facts({}, { firedAt: AT - MINUTE });
    expect(faultsOf(silent)[0]?.detail).toBe(
      "the schedule of bsc/pools has not fired for 1m, and should every 10s",
    );
  });

  it("is unhealthy only by what a restart mends", () => {
    expect([...MENDED_BY_RESTART]).toEqual(["loop_still", "schedule_silent"]);
  });

  it("is never taken to be done, whatever else is well, once one part of it has stopped for good", () => {
    const anyFacts = fc.record({
      pollers: fc.integer({ min: 1, max: 4 }),
      which: fc.nat(),
      part: fc.constantFrom("loop", "schedule", "poll", "journal"),
      forMs: fc.integer({ min: 0, max: 60 * MINUTE }),
    });
    fc.assert(
      fc.property(anyFacts, ({ pollers, which, part, forMs }) => {
        const stopped = AT - pools.staleAfterMs - SCHEDULE_GRACE - 1 - forMs;
        const all = Array.from({ length: pollers }, (_, index): PollerFacts => {
          const isIt = index === which % pollers;
          return {
            ...pools,
            poller: `p${index}`,
            ...(isIt && part === "schedule" ? { firedAt: stopped } : {}),
            ...(isIt && part === "poll" ? { lastSuccess: stopped } : {}),
          };
        });
        const found = faultsOf(
          facts({
            pollers: all,
            startedAt: AT - 120 * MINUTE,
            ...(part === "loop" ? { tickedAt: stopped } : {}),
            ...(part === "journal"
              ? { journal: { problem: undefined, committedAt: stopped } }
              : {}),
          }),
        );
        expect(found).toHaveLength(1);
        expect(found[0]?.reason).toMatch(new RegExp(`^${part}`));
      }),
    );
  });
});
