import { expect, test } from "vitest";
import { DAY, SECOND } from "../../../src/domain/time.ts";
import { createGapDetector } from "../../../src/io/process/gap.ts";

const NOW = Date.UTC(2026, 0, 5);

function begin() {
  const clocks = { wall: NOW, steady: 0 };
  const detector = createGapDetector(3 * SECOND, {
    wall: () => clocks.wall,
    steady: () => clocks.steady,
  });
  const pass = (wall: number, steady: number): void => {
    clocks.wall += wall;
    clocks.steady += steady;
  };
  return { detector, pass };
}

test("What takes long is not a gap if it runs all the while, and a gap in its middle is found at its end", () => {
  const { detector, pass } = begin();
  for (let second = 0; second < 10; second += 1) {
    pass(SECOND, SECOND);
    detector.noteRunning();
  }
  expect(detector.look()).toBeUndefined();
  pass(20 * SECOND, 20 * SECOND);
  detector.noteRunning();
  pass(SECOND, SECOND);
  detector.noteRunning();
  expect([detector.peek(), detector.look()]).toEqual([21 * SECOND, 21 * SECOND]);
});

test.each([
  ["a process that was stopped", 20 * SECOND, 20 * SECOND, 20 * SECOND],
  ["a machine that was suspended, whose steady clock stood still", DAY, 0, DAY],
  ["a wall clock that was set forward", DAY + SECOND, SECOND, DAY + SECOND],
  ["a process that was stopped while the wall clock was set back", -DAY, 20 * SECOND, 20 * SECOND],
  ["a wall clock that was set back", -DAY, SECOND, undefined],
  ["a second that passes", SECOND, SECOND, undefined],
])("%s", (_what, wall, steady, away) => {
  const { detector, pass } = begin();
  pass(wall, steady);
  expect([detector.peek(), detector.look(), detector.look()]).toEqual([away, away, undefined]);
});
