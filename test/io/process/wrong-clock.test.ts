/** Tests src/io/process: wrong clock. */
import { afterEach, expect, test } from "vitest";
import { HOUR, SECOND } from "../../../src/domain/time.ts";
import { createLimiter, PRIORITY } from "../../../src/io/aggregator/limiter.ts";
import { createScheduler } from "../../../src/io/schedule/scheduler.ts";
import {
  createVirtualTime,
  type VirtualTime,
} from "../../../src/simulation/machine/virtual-time.ts";

const START = Date.UTC(2026, 0, 5);
const never = new AbortController().signal;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let putBack = (): void => {};
afterEach(() => putBack());

function begin(): VirtualTime {
  const time = createVirtualTime(START);
  putBack = time.install();
  return time;
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
