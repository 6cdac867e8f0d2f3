import { describe, expect, it } from "vitest";
import { HOUR, SECOND } from "../../../src/domain/time.ts";
import { createStallDetector, lastLine } from "../../../src/io/process/loop-guard-thread.ts";

/** Samples once a second, while ticks and turns of the event loop go on or not. */
function samples(
  detect: ReturnType<typeof createStallDetector>,
  count: number,
  { ticks, turns }: { ticks: boolean; turns: boolean },
): string | undefined {
  let said: string | undefined;
  for (let index = 0; index < count && said === undefined; index += 1) {
    if (ticks) counts.ticks += 1;
    if (turns) counts.turns += 1;
    said = detect({ ...counts }, SECOND);
  }
  return said;
}
const counts = { ticks: 0, turns: 0 };

describe("the guard of the loop", () => {
  it("leaves one alone that turns", () => {
    const detector = createStallDetector(5 * SECOND);
    expect(samples(detector, 1_000, { ticks: true, turns: true })).toBeUndefined();
  });

  it("says when none was handled for too long, and whether the event loop lives", () => {
    const blocked = createStallDetector(5 * SECOND);
    samples(blocked, 1, { ticks: true, turns: true });
    expect(samples(blocked, 4, { ticks: false, turns: false })).toBeUndefined();
    expect(samples(blocked, 1, { ticks: false, turns: false })).toBe(
      "stuck: the event loop is blocked, and no tick was handled for 5s",
    );
    const alive = createStallDetector(5 * SECOND);
    samples(alive, 1, { ticks: true, turns: true });
    expect(samples(alive, 9, { ticks: false, turns: true })).toBe(
      "stuck: the event loop turns, and yet no tick was handled for 5s",
    );
  });

  it("gives it its time again with every tick", () => {
    const detector = createStallDetector(5 * SECOND);
    for (let round = 0; round < 20; round += 1) {
      expect(samples(detector, 4, { ticks: false, turns: false })).toBeUndefined();
      samples(detector, 1, { ticks: true, turns: true });
    }
  });

  it("does not count the time in which it could not look: a suspended machine is not stuck", () => {
    const detector = createStallDetector(5 * SECOND);
    samples(detector, 1, { ticks: true, turns: true });
    expect(detector({ ...counts }, HOUR)).toBeUndefined();
    expect(samples(detector, 2, { ticks: false, turns: false })).toBeUndefined();
    expect(samples(detector, 1, { ticks: false, turns: false })).toMatch(/^stuck: /);
  });

  it("writes its last line as the log is written", () => {
    expect(JSON.parse(lastLine("stuck: x", "json"))).toMatchObject({
      level: "fatal",
      msg: "stuck: x; the process ends itself, to be restarted",
    });
    expect(lastLine("stuck: x", "text")).toMatch(/^FATAL \S+Z aggwatch is stuck: x; .*\n$/);
  });
});
