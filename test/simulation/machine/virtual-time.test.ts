import { performance as ofPerfHooks } from "node:perf_hooks";
import { afterEach, expect, test } from "vitest";
import { createScheduler } from "../../../src/io/schedule/scheduler.ts";
import {
  createVirtualTime,
  type VirtualTime,
} from "../../../src/simulation/machine/virtual-time.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/domain/time.ts";

const START = 1_750_000_000_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let putBack = (): void => {};
afterEach(() => putBack());

function begin(): VirtualTime {
  const time = createVirtualTime(START);
  putBack = time.install();
  return time;
}

test("Timers fire in the order of their times, and of their setting if those are equal", async () => {
  const time = begin();
  const told: string[] = [];
  setTimeout(() => told.push(`b ${time.now() - START}`), 20);
  setTimeout(() => told.push(`a ${time.now() - START}`), 10);
  setTimeout(() => told.push(`c ${time.now() - START}`), 20);
  clearTimeout(setTimeout(() => told.push("never"), 5));
  await time.runUntil(START + 30);
  expect(told).toStrictEqual(["a 10", "b 20", "c 20"]);
  expect(time.now()).toBe(START + 30);
});

test("True time counts whole milliseconds, so nothing can be set for a part of one", () => {
  const time = begin();
  expect(() => time.at(START + 0.5, () => {})).toThrow("is no whole millisecond");
});

test("An interval goes on until it is ended, from within too", async () => {
  const time = begin();
  const told: number[] = [];
  const interval = setInterval(() => {
    told.push(time.now() - START);
    if (told.length === 3) clearInterval(interval);
  }, 10);
  await time.runUntil(START + 100);
  expect(told).toStrictEqual([10, 20, 30]);
});

test("All that follows from one timer is over before the next", async () => {
  const time = begin();
  const told: string[] = [];
  setTimeout(() => {
    void (async () => {
      for (let hop = 0; hop < 50; hop += 1) await Promise.resolve();
      told.push("first");
    })();
  }, 10);
  setTimeout(() => told.push("second"), 10);
  await time.runUntil(START + 10);
  expect(told).toStrictEqual(["first", "second"]);
});

test("A busy process fires late; the death of a process ends its timers and no other", async () => {
  const time = begin();
  const told: string[] = [];
  setTimeout(() => told.push(`late ${time.now() - START}`), 10);
  setTimeout(() => told.push("dead"), 5_000);
  time.at(START + 6_000, () => told.push("world"));
  time.block(3_000);
  await time.runUntil(START + 4_000);
  time.dropTimers();
  await time.runUntil(START + 7_000);
  expect(told).toStrictEqual(["late 3000", "world"]);
});

test("A wrong wall clock moves dates, and no timer", async () => {
  const time = begin();
  const told: string[] = [];
  time.setWallError(-HOUR);
  setTimeout(() => told.push(new Date().toISOString()), MINUTE);
  await time.runUntil(START + MINUTE);
  expect(told).toStrictEqual(["2025-06-15T14:07:40.000Z"]);
  expect(new Date(0).toISOString()).toBe("1970-01-01T00:00:00.000Z");
});

test("Its dates are what libraries take for one that were loaded before", async () => {
  const real = Date;
  const time = begin();
  await time.runUntil(START + MINUTE);
  const made = [new Date(), new Date(START), new Date(2026, 0, 31)];
  expect(made.map((date) => date.constructor === real)).toStrictEqual([true, true, true]);
  expect(made.every((date) => date instanceof Date)).toBe(true);
  expect([Date.now(), made[0]?.getTime(), Date.parse(Date())]).toStrictEqual(
    Array.from({ length: 3 }, () => START + MINUTE),
  );
});

test("The scheduler polls on it at its slots", async () => {
  const time = begin();
  const slots: number[] = [];
  const scheduler = createScheduler({
    schedules: [{ aggregator: "bsc", poller: "exchanges", cron: "*/10 * * * * *" }],
    run: (_aggregator, _poller, slot) => {
      slots.push((slot - START) / SECOND);
      return Promise.resolve("complete");
    },
    clock: { now: time.now },
    log: quiet,
  });
  scheduler.start();
  await time.runUntil(START + 35 * SECOND);
  expect(slots).toStrictEqual([10, 20, 30]);
});

test("The steady clock goes with the timers, by both of its names, and is real again afterwards", async () => {
  const real = Object.getOwnPropertyDescriptor(performance, "now");
  const time = begin();
  const begun = performance.now();
  const told: number[] = [];
  setTimeout(() => told.push(performance.now() - begun), 10);
  await time.runUntil(START + 25);
  time.setWallError(-HOUR);
  expect(told).toStrictEqual([10]);
  expect(performance.now() - begun).toBe(25);
  expect(ofPerfHooks.now() - begun).toBe(25);
  putBack();
  expect(Object.getOwnPropertyDescriptor(performance, "now")).toStrictEqual(real);
});

test("A machine of several has clocks of its own, and hears nothing while it is paused", async () => {
  const time = createVirtualTime(0);
  const putBack = time.install();
  try {
    const [fast, other] = [time.createMachine(1.01), time.createMachine(1)];
    const heard: string[] = [];
    const say = (what: string) => (): void => void heard.push(`${what} at ${time.now()}`);
    fast.run(() => setTimeout(say("fast"), 10_100));
    other.run(() => setTimeout(say("other"), 10_000));
    await time.runUntil(9_000);
    fast.pause(5_000, false);
    fast.run(say("message"));
    await time.runUntil(20_000);
    expect(heard).toEqual(["other at 10000", "fast at 14000", "message at 14000"]);
    expect([fast.steady(), other.steady()]).toEqual([20_200, 20_000]);
    other.run(() => setTimeout(say("later"), 1_000));
    other.pause(3_000, true);
    await time.runUntil(30_000);
    // Asleep, its timers and its steady clock stood still, and its wall clock did not.
    expect(heard.at(-1)).toBe("later at 24000");
    expect([other.steady(), other.wall()]).toEqual([27_000, 30_000]);
  } finally {
    putBack();
  }
});
