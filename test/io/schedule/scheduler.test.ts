import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PollOutcome } from "../../../src/domain/observation.ts";
import { faultsOf } from "../../../src/core/explain/heartbeat.ts";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import type { Scheduler, SchedulerLog } from "../../../src/io/schedule/scheduler.ts";
import { LONGEST_OFFSET, startOffsetMs } from "../../../src/io/schedule/back-off.ts";
import { createScheduler } from "../../../src/io/schedule/scheduler.ts";

const lines: string[] = [];
const log: SchedulerLog = {
  error: (message) => void lines.push(message),
};

let scheduler: Scheduler | undefined;

beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers({
    now: Date.UTC(2026, 0, 1, 12, 0, 0, 500),
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
  });
});

afterEach(async () => {
  const stopped = scheduler?.stop(1_000);
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
  scheduler = undefined;
  vi.useRealTimers();
});

function schedule(run: (slot: number) => Promise<PollOutcome>, cron = "*/10 * * * * *"): Scheduler {
  scheduler = createScheduler({
    schedules: [{ aggregator: "bsc", poller: "exchanges", cron }],
    run: (_aggregator, _poller, slot) => run(slot),
    clock: { now: () => Date.now() },
    log,
  });
  return scheduler;
}

describe("createScheduler", () => {
  test("polls once at each slot, and says which slot it was", async () => {
    const slots: number[] = [];
    schedule(async (slot) => {
      slots.push(slot);
      return await Promise.resolve("complete");
    }).start();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(slots.map((slot) => new Date(slot).toISOString())).toEqual([
      "2026-01-01T12:00:10.000Z",
      "2026-01-01T12:00:20.000Z",
      "2026-01-01T12:00:30.000Z",
    ]);
  });

  test("leaves slots out until the aggregator may be asked again, and counts them", async () => {
    const slots: number[] = [];
    const until = Date.UTC(2026, 0, 1, 12, 0, 30);
    scheduler = createScheduler({
      schedules: [{ aggregator: "bsc", poller: "exchanges", cron: "*/10 * * * * *" }],
      run: async (_aggregator, _poller, slot) => {
        slots.push(slot);
        return await Promise.resolve("complete");
      },
      notBefore: () => until,
      clock: { now: () => Date.now() },
      log,
    });
    scheduler.start();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(slots).toEqual([until, until + 10_000]);
    expect(scheduler.counts("bsc", "exchanges")).toMatchObject({ started: 2, askedToWait: 2 });
  });

  test("does not start a poll while the one before runs, and counts that", async () => {
    let running = 0;
    let most = 0;
    const made = schedule(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => {
        setTimeout(resolve, 25_000);
      });
      running -= 1;
      return "complete";
    });
    made.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(most).toBe(1);
    const { started, overlapped } = made.counts("bsc", "exchanges");
    expect({ started, overlapped }).toEqual({ started: 2, overlapped: 4 });
  });

  test("polls at once when triggered, and a slot in the meantime does not overlap it", async () => {
    let release: (outcome: PollOutcome) => void = () => undefined;
    const made = schedule(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    made.start();
    expect(startOffsetMs("bsc", "exchanges")).toBeGreaterThan(1);
    const triggered = made.trigger("bsc", "exchanges");
    await vi.advanceTimersByTimeAsync(1);
    expect(made.counts("bsc", "exchanges").started).toBe(1);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(made.counts("bsc", "exchanges")).toMatchObject({ started: 1, overlapped: 1 });
    release("complete");
    await triggered;
  });

  test("leaves slots out after failures in a row, and none after a success", async () => {
    let outcome: PollOutcome = "failed";
    const made = schedule(async () => await Promise.resolve(outcome));
    made.start();
    await vi.advanceTimersByTimeAsync(60_000);
    // Polls at 10, 20 and 30 fail, so that 40 is left out, 50 fails too, and 60, 70, 80 are left out.
    expect(made.counts("bsc", "exchanges")).toMatchObject({ started: 4, backedOff: 2 });
    outcome = "complete";
    await vi.advanceTimersByTimeAsync(50_000);
    // 90 succeeds, and 100 and 110 follow.
    expect(made.counts("bsc", "exchanges")).toMatchObject({ started: 7, backedOff: 4 });
  });

  test("takes a throw for a failed poll, says so, and goes on", async () => {
    const made = schedule(async () => await Promise.reject(new Error("oops")));
    made.start();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(made.counts("bsc", "exchanges").started).toBe(2);
    expect(lines).toEqual([
      "bsc/exchanges: a bug while polling",
      "bsc/exchanges: a bug while polling",
    ]);
  });

  test("waits for the polls that run when it stops, but not forever", async () => {
    let release: (outcome: PollOutcome) => void = () => undefined;
    const made = schedule(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    const polled = made.trigger("bsc", "exchanges");
    await vi.advanceTimersByTimeAsync(500);
    const impatient = made.stop(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(await impatient).toBe(false);
    const patient = made.stop(100);
    release("complete");
    expect(await patient).toBe(true);
    await polled;
  });

  test("starts nothing once it has stopped", async () => {
    const made = schedule(async () => await Promise.resolve("complete"));
    made.start();
    expect(await made.stop(100)).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    await made.trigger("bsc", "exchanges");
    expect(made.counts("bsc", "exchanges").started).toBe(0);
  });
});

describe("other schedules while it runs", () => {
  const polled: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let outcome: PollOutcome = "complete";

  beforeEach(() => {
    polled.length = 0;
    outcome = "complete";
    gate = Promise.resolve();
  });

  const one = (poller: string, cron: string, aggregator = "bsc") => ({ aggregator, poller, cron });
  const TEN = "*/10 * * * * *";

  function start(...schedules: ReadonlyArray<ReturnType<typeof one>>): Scheduler {
    scheduler = createScheduler({
      schedules,
      run: async (_aggregator, poller) => {
        polled.push(poller);
        await gate;
        return outcome;
      },
      clock: { now: () => Date.now() },
      log,
    });
    scheduler.start();
    return scheduler;
  }

  test("leave what stays alone, end what is gone, and poll at once what is new", async () => {
    const made = start(one("exchanges", TEN), one("pools", TEN));
    await vi.advanceTimersByTimeAsync(12_000);
    expect(polled.toSorted()).toEqual(["exchanges", "pools"]);
    polled.length = 0;
    made.replace([one("exchanges", TEN), one("swaps", TEN)], () => false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(polled).toEqual(["swaps"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(polled.toSorted()).toEqual(["exchanges", "swaps", "swaps"]);
    expect(made.counts("bsc", "exchanges")).toMatchObject({ started: 2 });
    expect(() => made.counts("bsc", "pools")).toThrow("no schedule");
  });

  test("take effect from the next slot, and a poll that runs goes on", async () => {
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    const made = start(one("exchanges", "0 0 0 1 1 *"));
    const first = made.trigger("bsc", "exchanges");
    await vi.advanceTimersByTimeAsync(3_000);
    made.replace([one("exchanges", TEN)], () => false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(made.counts("bsc", "exchanges")).toMatchObject({ started: 1, overlapped: 1 });
    held.resolve();
    await first;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(made.counts("bsc", "exchanges")).toMatchObject({ started: 2 });
  });

  test("poll again what is read otherwise, after the poll that runs, without backing off", async () => {
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    const made = start(one("exchanges", "0 0 0 1 1 *"));
    const first = made.trigger("bsc", "exchanges");
    await vi.advanceTimersByTimeAsync(3_000);
    made.replace([one("exchanges", "0 0 0 1 1 *")], () => true);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(polled).toEqual(["exchanges"]);
    held.resolve();
    await first;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(polled).toEqual(["exchanges", "exchanges"]);
  });

  test("leave out no slot of a rarer schedule because polls of a frequent one had failed", async () => {
    outcome = "failed";
    const made = start(one("exchanges", TEN));
    await vi.advanceTimersByTimeAsync(60_000);
    outcome = "complete";
    polled.length = 0;
    made.replace([one("exchanges", "0 * * * * *")], () => false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polled).toEqual(["exchanges"]);
  });

  const EVERY_HOUR = "0 0 * * * *";
  const EVERY_TEN_MINUTES = "0 */10 * * * *";

  test.for([
    ["has fired", 101],
    ["has not fired yet", 41],
  ] as const)(
    "are no fault if they are more frequent and the one before %s",
    async ([, minutes]) => {
      const startedAt = Date.now();
      let lastSuccess = startedAt;
      scheduler = createScheduler({
        schedules: [one("exchanges", EVERY_HOUR)],
        run: async () => {
          lastSuccess = Date.now();
          return await Promise.resolve("complete");
        },
        clock: { now: () => Date.now() },
        log,
      });
      scheduler.start();
      await vi.advanceTimersByTimeAsync(minutes * MINUTE);
      scheduler.replace([one("exchanges", EVERY_TEN_MINUTES)], () => false);
      const found = (): string[] => {
        const { firedAt } = scheduler?.counts("bsc", "exchanges") ?? {};
        const poller = { intervalMs: 10 * MINUTE, staleAfterMs: 30 * MINUTE, since: startedAt };
        const at = Date.now();
        return faultsOf({
          at,
          startedAt,
          tickedAt: at,
          stillAfterMs: MINUTE,
          pollers: [{ aggregator: "bsc", poller: "exchanges", ...poller, firedAt, lastSuccess }],
          journal: { problem: undefined, committedAt: lastSuccess },
          notifiersSilentSince: undefined,
        }).map(({ reason }) => reason);
      };
      // A restart would mend none of them.
      expect(found()).not.toContain("schedule_silent");
      await vi.advanceTimersByTimeAsync(LONGEST_OFFSET);
      expect(found()).toEqual([]);
      await vi.advanceTimersByTimeAsync(9 * MINUTE + 30 * SECOND);
      expect(found()).toEqual([]);
      expect(scheduler.counts("bsc", "exchanges").started).toBe(minutes > 60 ? 3 : 2);
    },
  );

  test("poll at once if they are more frequent, unless the aggregator asked for a pause", async () => {
    const until = Date.now() + MINUTE;
    scheduler = createScheduler({
      schedules: [one("exchanges", EVERY_HOUR), one("pools", EVERY_HOUR)],
      run: async (_aggregator, poller) => {
        polled.push(poller);
        return await Promise.resolve("complete");
      },
      notBefore: (_aggregator, poller) => (poller === "pools" ? until : undefined),
      clock: { now: () => Date.now() },
      log,
    });
    scheduler.start();
    scheduler.replace([one("exchanges", TEN), one("pools", TEN)], () => false);
    await vi.advanceTimersByTimeAsync(LONGEST_OFFSET);
    expect(polled).toEqual(["exchanges"]);
  });

  test("do nothing once it has stopped", async () => {
    const made = start(one("exchanges", TEN));
    await made.stop(100);
    made.replace([one("pools", TEN)], () => true);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(polled).toEqual([]);
  });
});
