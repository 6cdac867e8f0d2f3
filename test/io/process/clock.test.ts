import { describe, expect, it } from "vitest";
import { HOUR, SECOND } from "../../../src/domain/time.ts";
import { passingClock, systemClock } from "../../../src/io/process/clock.ts";

const START = Date.UTC(2026, 0, 1);

/** Two clocks that run together until one of them is told something else. */
function machine() {
  const own = {
    wall: START,
    steady: 12_345.678,
    passes: (length: number): void => {
      own.wall += length;
      own.steady += length;
    },
  };
  return { own, sources: { wall: () => own.wall, steady: () => own.steady } };
}

describe("the clock", () => {
  it("says what the wall clock says, in whole milliseconds", () => {
    const { own, sources } = machine();
    const clock = systemClock(0, sources);
    expect(clock.now()).toBe(START);
    own.passes(1_500.75);
    expect(clock.now()).toBe(START + 1_500);
    own.passes(0.5);
    expect(clock.now()).toBe(START + 1_501);
  });

  it("does not go back when the wall clock does, and goes on from where it is", () => {
    const { own, sources } = machine();
    const clock = systemClock(0, sources);
    own.wall -= HOUR;
    expect(clock.now()).toBe(START);
    own.passes(10 * SECOND);
    const later = clock.now();
    expect(later).toBeGreaterThan(START);
    expect(later).toBeLessThanOrEqual(START + 10 * SECOND);
  });

  it("comes to agree with a wall clock that was set back, instead of being ahead forever", () => {
    const { own, sources } = machine();
    const clock = systemClock(0, sources);
    own.wall -= HOUR;
    let before = clock.now();
    for (let second = 0; second < 11 * 3_600; second += 1) {
      own.passes(SECOND);
      const now = clock.now();
      expect(now).toBeGreaterThan(before);
      before = now;
    }
    expect(before - own.wall).toBeLessThanOrEqual(SECOND);
    expect(before - own.wall).toBeGreaterThanOrEqual(0);
  });

  it("jumps ahead with the wall clock, as after a suspension in which the steady one stood", () => {
    const { own, sources } = machine();
    const clock = systemClock(0, sources);
    own.wall += HOUR;
    expect(clock.now()).toBe(START + HOUR);
    own.passes(SECOND);
    expect(clock.now()).toBe(START + HOUR + SECOND);
  });

  it("does not follow the wall clock's small corrections", () => {
    const { own, sources } = machine();
    const clock = systemClock(0, sources);
    own.wall += 900;
    expect(clock.now()).toBe(START);
    own.wall -= 1_800;
    expect(clock.now()).toBe(START);
  });

  it("begins no earlier than it is told, as the journal may have seen later instants", () => {
    const { own, sources } = machine();
    const clock = systemClock(START + HOUR, sources);
    expect(clock.now()).toBe(START + HOUR);
    own.passes(10 * SECOND);
    expect(clock.now()).toBe(START + HOUR + 9 * SECOND);
  });

  it("reads this machine's clocks unless it is given others", () => {
    const before = Date.now();
    const now = systemClock().now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now() + 1);
  });
});

describe("the clock of a lease", () => {
  it("counts on while the machine sleeps, and never back", () => {
    const { own, sources } = machine();
    const passed = passingClock(sources);
    own.passes(1_000);
    expect(passed()).toBe(1_000);
    own.wall += 20 * SECOND;
    own.passes(1_000);
    expect(passed()).toBe(22_000);
    own.wall -= HOUR;
    own.passes(500);
    expect(passed()).toBe(22_500);
  });

  it("takes the rounding of the wall clock for no sleep, however often it is looked at", () => {
    const { own, sources } = machine();
    const passed = passingClock({ ...sources, wall: () => Math.floor(own.wall) });
    for (let look = 0; look < 10_000; look += 1) {
      own.passes(0.3);
      passed();
    }
    expect(passed()).toBeCloseTo(3_000, 3);
  });
});
