/** Tests src/io/process: wrong clock. */
import { afterEach, expect, test } from "vitest";
import { DAY, HOUR, SECOND } from "../../../src/domain/time.ts";
import { createLimiter } from "../../../src/io/aggregator/limiter.ts";
import { PRIORITY } from "../../../src/io/aggregator/slots.ts";
import { createScheduler } from "../../../src/io/schedule/scheduler.ts";
import {
  createVirtualTime,
  type VirtualTime,
} from "../../../src/simulation/machine/virtual-time.ts";

const START = Date.UTC(2026, 0, 5);
const never = new AbortController().signal;
const quiet = { error() {} };

let putBack = (): void => {};
afterEach(() => putBack());

function begin(): VirtualTime {
  const time = createVirtualTime(START);
  putBack = time.install();
  return time;
}

function everySecond(time: VirtualTime, cron = "* * * * * *") {
  const polled: number[] = [];
  const scheduler = createScheduler({
    schedules: [{ aggregator: "bsc", poller: "exchanges", cron }],
    run: () => {
      polled.push(Math.round((time.now() - START) / SECOND));
      return Promise.resolve("complete");
    },
    clock: { now: time.now },
    log: quiet,
  });
  scheduler.start();
  return { scheduler, polled };
}

test("Polls go on when the wall clock goes back by an hour", async () => {
  const time = begin();
  const polled: number[] = [];
  const scheduler = createScheduler({
    schedules: [{ aggregator: "bsc", poller: "exchanges", cron: "*/10 * * * * *" }],
    run: () => {
      polled.push(Math.round((time.now() - START) / SECOND));
      return Promise.resolve("complete");
    },
    clock: { now: time.now },
    log: quiet,
  });
  scheduler.start();
  await time.runUntil(START + 25 * SECOND);
  time.setWallError(-HOUR);
  await time.runUntil(START + 65 * SECOND);
  expect(polled).toStrictEqual([10, 20, 30, 40, 50, 60]);
});

test.each([HOUR, 3 * DAY, 400 * DAY])(
  "The schedule goes on from now when the wall clock goes forward by %d ms, without a look at what was left out",
  async (jump) => {
    const time = begin();
    const { scheduler, polled } = everySecond(time);
    await time.runUntil(START + 3.5 * SECOND);
    time.setWallError(jump);
    await time.runUntil(START + 6.5 * SECOND);
    expect(polled).toStrictEqual([1, 2, 3, 4, 5, 6]);
    expect(scheduler.counts("bsc", "exchanges").missed).toBe(0);
  },
);

test("A schedule of a day polls once it sees that the wall clock has passed its slot", async () => {
  const time = begin();
  const { polled } = everySecond(time, "0 0 3 * * *");
  await time.runUntil(START + 10 * SECOND);
  time.setWallError(3 * DAY);
  await time.runUntil(START + HOUR);
  expect(polled).toStrictEqual([11]);
});

test("Slots that passed while the process was busy are counted, and polled once", async () => {
  const time = begin();
  const { scheduler, polled } = everySecond(time);
  await time.runUntil(START + 3.5 * SECOND);
  time.block(60 * SECOND);
  await time.runUntil(START + 65.5 * SECOND);
  expect(polled).toStrictEqual([1, 2, 3, 64, 64, 65]);
  expect(scheduler.counts("bsc", "exchanges").missed).toBe(59);
});

test("A schedule fired when the daemon's clock says so, as the heartbeat looks at that one", async () => {
  const time = begin();
  const scheduler = createScheduler({
    schedules: [{ aggregator: "bsc", poller: "exchanges", cron: "*/10 * * * * *" }],
    run: () => Promise.resolve("complete"),
    clock: { now: time.now },
    log: quiet,
  });
  time.setWallError(-HOUR);
  scheduler.start();
  await time.runUntil(START + 25 * SECOND);
  expect(scheduler.counts("bsc", "exchanges").firedAt).toBe(START + 20 * SECOND);
});

test("A slot is not polled twice when the wall clock goes back a little", async () => {
  const time = begin();
  const polled: number[] = [];
  const scheduler = createScheduler({
    schedules: [{ aggregator: "bsc", poller: "exchanges", cron: "*/10 * * * * *" }],
    run: () => {
      polled.push(Math.round((time.now() - START) / SECOND));
      return Promise.resolve("complete");
    },
    clock: { now: time.now },
    log: quiet,
  });
  scheduler.start();
  await time.runUntil(START + 25 * SECOND);
  time.setWallError(-400);
  await time.runUntil(START + 45 * SECOND);
  expect(polled).toStrictEqual([10, 20, 30, 40]);
});

test("Requests go on when the wall clock goes back by an hour", async () => {
  const time = begin();
  const left: number[] = [];
  const limiter = createLimiter(
    { requestsPerSecond: 50, concurrency: 4 },
    { clock: { now: time.now }, longestPauseMs: HOUR },
  );
  const send = (): void =>
    void limiter.run(
      () => {
        left.push(time.now() - START);
        return Promise.resolve();
      },
      { priority: PRIORITY.poll, signal: never },
    );
  send();
  send();
  await time.runUntil(START + SECOND);
  time.setWallError(-HOUR);
  send();
  send();
  await time.runUntil(START + 2 * SECOND);
  expect(left).toStrictEqual([0, 20, 1_000, 1_020]);
});
